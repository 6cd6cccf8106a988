/// Grove in one import: models, the consistency engine and the data providers. A cache backend is imported by itself.
@_exported public import GroveConsistency
@_exported public import GroveModel
@_exported public import GroveProviders
