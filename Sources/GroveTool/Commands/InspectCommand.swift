import ArgumentParser
struct InspectCommand: AsyncParsableCommand {}
