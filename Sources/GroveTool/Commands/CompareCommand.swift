import ArgumentParser
struct CompareCommand: AsyncParsableCommand {}
