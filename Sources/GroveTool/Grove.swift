@main struct Grove { static func main() {} }
