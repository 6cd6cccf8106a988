import GroveCache
import GroveModel
import GrovePlatform

/// A process that forks while it has a cache open.
enum ForkProcess {
    /// Opens the cache in `directory`, forks, and prints what the child's calls led to and that this process goes on.
    static func run(_ directory: String, _ backend: any ConformanceBackend) -> Int32 {
        // Swift hides it, for good reasons; C libraries and others' runtimes call it all the same.
        guard let symbol = unsafe dlsym(dlopen(nil, RTLD_NOW), "fork") else { return 2 }
        let fork = unsafe unsafeBitCast(symbol, to: (@convention(c) () -> Int32).self)
        do throws(CacheError) {
            let cache = try backend.site(at: directory).open()
            try cache.write(Person(id: "Person:1", age: 1))
            let child = fork()
            if child == 0 {
                _ = alarm(20)
                say("read") { () throws(CacheError) in _ = try cache.read("Person:1", as: Person.self) }
                say("write") { () throws(CacheError) in _ = try cache.write(Person(id: "Person:1", age: 2)) }
                say("opening") { () throws(CacheError) in _ = try backend.site(at: directory + "-other").open() }
                say("close") { () throws(CacheError) in cache.close() }
                _exit(0)
            }
            var status: Int32 = 0
            while unsafe waitpid(child, &status, 0) < 0, errno == EINTR {}
            ConformanceWorker.say("child\t\(status)")
            try cache.write(Person(id: "Person:1", age: 3))
            let age = try cache.read("Person:1", as: Person.self).value?.age
            ConformanceWorker.say("parent\t\(age.map { "\($0)" } ?? "none")")
            cache.close()
        } catch {
            ConformanceWorker.say("failed\t\(error)")
            return 3
        }
        return 0
    }

    private static func say(_ what: String, _ body: () throws(CacheError) -> Void) {
        do throws(CacheError) {
            try body()
            ConformanceWorker.say("\(what)\tdone")
        } catch {
            ConformanceWorker.say("\(what)\t\(error.code)")
        }
    }
}
