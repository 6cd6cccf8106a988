import Grove
import GroveCache
import GroveMemory
import GroveOutbox
import TestSupport

/// A random program over an outbox, beside a model: what is confirmed, with what is pending applied to it.
@MainActor
final class OutboxProgram {
    /// A mutation as the model sees it.
    private enum Step {
        case like(Int)
        case edit(Int, String)
        case write(Int, String)
        case takeOut(Int)
        case toFront(Int)
    }

    /// What is shown: the four posts' screens, and the list.
    private struct Shown: Equatable {
        var screens: [Post?]
        var list: [Post]
    }

    private var random: SeededGenerator
    private let cache: MemoryCache
    private let clock = FakeClock()
    private var scene: Scene
    private var screens: [DataProvider<Post>] = []
    private var feed: CollectionDataProvider<Post>
    /// Another outbox over the store, as another process has it, with a manager and screens; it sends nothing.
    private var other: Scene
    private var otherScreens: [DataProvider<Post>] = []
    private var otherFeed: CollectionDataProvider<Post>
    /// The model: posts and the list as the server and the cache have them, and what is pending, in order.
    private var posts: [Int: Post] = [:]
    private var list: [Int] = []
    private var steps: [(key: String, step: Step)] = []
    private var launches = 0
    private var last = 0
    /// Which posts others changed since the request under way was sent: its answer has no say in them.
    private var moved: Set<Int> = []
    private var arrived: Attempt?
    /// Which keys the server has carried out, and how often it was asked.
    private var done: Set<String> = []
    private(set) var log: [String] = []
    private(set) var faults: [String] = []

    init(seed: UInt64) async throws {
        random = SeededGenerator(seed: seed)
        cache = try MemoryCache(directory: nil, options: MemoryOptions())
        scene = try Scene(cache, clock: clock, keys: "0.")
        feed = CollectionDataProvider<Post>(dataModelManager: scene.manager)
        other = try Scene(cache, clock: clock, keys: "other.")
        otherFeed = CollectionDataProvider<Post>(dataModelManager: other.manager)
        other.outbox.suspend()
        for id in 1...4 { posts[id] = Post(id: id, text: "t\(id)") }
        list = [1, 2, 3]
        feed.setData(list.map(post), cacheKey: "feed")
        scene.manager.updateModels([post(4)])
        await scene.manager.flush()
        screens = try await screens(of: scene)
        otherScreens = try await screens(of: other)
        _ = try await otherFeed.fetchDataFromCache(withCacheKey: "feed")
    }

    /// Makes the screens of the posts.
    private func screens(of scene: Scene) async throws -> [DataProvider<Post>] {
        var screens: [DataProvider<Post>] = []
        for id in 1...4 {
            let screen = DataProvider<Post>(dataModelManager: scene.manager)
            _ = try await screen.fetchDataFromCache(withCacheKey: "Post:\(id)")
            screens.append(screen)
        }
        return screens
    }

    func run(_ count: Int) async throws {
        check("start")
        for _ in 0..<count where faults.isEmpty {
            try await step()
            await arrive()
            check("step")
        }
        await finish()
    }

    private func step() async throws {
        switch Int.random(in: 0..<19, using: &random) {
        case 0...2:
            let id = pick()
            submit(Like(post: id), .like(id))
        case 3...4:
            let (id, text) = (pick(), "e\(next())")
            submit(Edit(post: Post.modelIdentifier(for: id), text: text), .edit(id, text))
        case 5...6:
            let (id, text) = (-next(), "w\(last)")
            submit(Write(local: id, text: text), .write(id, text))
        case 7:
            // Somebody pushes.
            let id = pick()
            posts[id]?.text = "p\(next())"
            if Bool.random(using: &random) { like(id) }
            moved.insert(id)
            log.append("push \(post(id))")
            scene.manager.updateModel(post(id))
            await settle()
        case 8:
            // Another process writes.
            let id = pick()
            posts[id]?.text = "o\(next())"
            moved.insert(id)
            log.append("other \(post(id))")
            try await cache.write(post(id))
            await settle()
        case 9:
            guard let item = scene.outbox.pending.randomElement(using: &random), scene.outbox.discard(item) else {
                return
            }
            log.append("discard \(item.id)")
            steps.removeAll { $0.key == item.id }
        case 10: try await relaunch()
        case 11:
            let id = pick()
            submit(TakeOut(post: id), .takeOut(id))
        case 12:
            let id = pick()
            submit(Put(post: id), .toFront(id))
        case 13: try await submitElsewhere()
        case 14: try await lookElsewhere()
        case 15: await push()
        default: await answer()
        }
    }

    private func post(_ id: Int) -> Post { posts[id] ?? Post(id: id, text: "unknown") }

    private func pick() -> Int { Int.random(in: 1...4, using: &random) }

    private func next() -> Int {
        last += 1
        return last
    }

    private func like(_ id: Int) {
        guard posts[id]?.isLiked == false else { return }
        posts[id]?.isLiked = true
        posts[id]?.likes += 1
    }

    private func submit(_ mutation: some Mutation<FakeServer>, _ step: Step) {
        let item = scene.submit(mutation)
        log.append("submit \(item.id) \(mutation)")
        steps.append((item.id, step))
    }

    /// Another process submits; this one takes it up, and sends it in its turn.
    private func submitElsewhere() async throws {
        await scene.outbox.stored()
        let id = pick()
        let text = "x\(next())"
        let item =
            if Bool.random(using: &random) {
                (
                    try await other.outbox.submit(Edit(post: Post.modelIdentifier(for: id), text: text)),
                    Step.edit(id, text)
                )
            } else {
                (try await other.outbox.submit(TakeOut(post: id)), Step.takeOut(id))
            }
        log.append("elsewhere \(item.0.id) \(item.1)")
        steps.append((item.0.id, item.1))
        scene.outbox.resume()
    }

    /// Another process shows what all have submitted.
    private func lookElsewhere() async throws {
        log.append("look elsewhere")
        await scene.outbox.stored()
        other.outbox.resume()
        other.outbox.suspend()
        await settle()
        checkOther("elsewhere")
    }

    /// The server tells by itself of a post, and of a mutation that it has carried out.
    private func push() async {
        let posts = steps.indices.filter { index in
            switch steps[index].step {
            case .like, .edit: true
            case .write, .takeOut, .toFront: false
            }
        }
        guard let index = posts.randomElement(using: &random) else { return }
        let (key, step) = steps[index]
        let before = expected()
        steps.remove(at: index)
        log.append("push includes \(key)")
        done.insert(key)
        // It is as of now.
        let (wasMoved, was) = (moved, self.posts)
        moved = []
        let post = carryOut(step).post
        let answer = Answer(contentsOf: post.map { [$0] } ?? [], includes: [key])
        moved = wasMoved
        // What brings the same is no change, and an answer to what was asked before it counts.
        if let id = post?.id, self.posts[id] != was[id] { moved.insert(id) }
        let task = Task { await scene.outbox.receive(answer) }
        await quiet(confirmed: key, before)
        await task.value
        await settle()
        // If it was on its way, its answer is late.
        if scene.server.requests.first?.attempt.key == key { scene.server.taken()?.reply(.success(Answer())) }
    }

    private func settle() async {
        for _ in 0..<4 {
            await cache.followersTold()
            await scene.manager.flush()
            await other.manager.flush()
            await other.outbox.flush()
        }
    }

    /// The server answers what it was asked, if anything is to be asked.
    private func answer() async {
        guard let first = steps.first else { return }
        guard let request = await request() else { return }
        let key = request.attempt.key
        // Kept before it is sent, and in order.
        if key != first.key { faults.append("sent \(key) before \(first.key)") }
        let isNew = !done.contains(key)
        switch Int.random(in: 0..<6, using: &random) {
        case 0 where isNew:
            log.append("refuse \(key)")
            steps.removeFirst()
            request.reply(.failure(Refusal("no")))
            await quiet(tried: key)
            if let item = scene.outbox.pending.first(where: { $0.id == key }) { scene.outbox.discard(item) }
        case 1:
            // The network fails.
            log.append("lose \(key)")
            request.reply(.failure(NoNetwork()))
            await quiet(tried: key)
            scene.outbox.resume()
        default:
            log.append("confirm \(key)")
            let before = expected()
            steps.removeFirst()
            done.insert(key)
            request.reply(.success(carryOut(first.step).answer))
            await quiet(confirmed: key, before)
        }
    }

    /// Turns to wait for, for a minute and a half at most: other tests may have the machine meanwhile.
    private func turns() -> some Sequence<Int> {
        let end = ContinuousClock.now + .seconds(90)
        return sequence(first: 1) { $0.isMultiple(of: 1_000) && ContinuousClock.now > end ? nil : $0 + 1 }
    }

    /// Waits until the server is asked what it is to be asked next.
    private func arrive() async {
        guard let first = steps.first, faults.isEmpty else { return }
        for turn in turns() {
            if let attempt = scene.server.requests.first?.attempt, attempt.key == first.key {
                if arrived != attempt { (arrived, moved) = (attempt, []) }
                return
            }
            if turn.isMultiple(of: 20_000) { clock.advance(400) }
            await Task.yield()
        }
        faults.append("\(first.key) is not sent: \(scene.outbox.pending.map { ($0.id, $0.state) })")
    }

    /// What the server is asked next; leases and pauses end while the test waits for it.
    private func request() async -> FakeServer.Request? {
        for turn in turns() {
            if let request = scene.server.taken() { return request }
            if turn.isMultiple(of: 20_000) { clock.advance(400) }
            await Task.yield()
        }
        faults.append("nothing is sent: \(scene.outbox.pending.map { ($0.id, $0.state) }), model \(steps)")
        return nil
    }

    /// What the server makes of a mutation, which the model takes over.
    private func carryOut(_ step: Step) -> (answer: Answer, post: Post?) {
        switch step {
        case .like(let id):
            var post = post(id)
            if !post.isLiked { (post.isLiked, post.likes) = (true, post.likes + 1) }
            if !moved.contains(id) { posts[id] = post }
            return (Answer(post), post)
        case .edit(let id, let text):
            var post = post(id)
            post.text = text
            if !moved.contains(id) { posts[id] = post }
            return (Answer(post), post)
        case .write(let local, let text):
            let id = 1_000 - local
            posts[id] = Post(id: id, text: text)
            list.append(id)
            return (Answer(post(id), replacing: Post.modelIdentifier(for: local)), post(id))
        case .takeOut(let id):
            list.removeAll { $0 == id }
            return (Answer(), nil)
        case .toFront(let id):
            if list.contains(id) { list = [id] + list.filter { $0 != id } }
            return (Answer(), nil)
        }
    }

    /// Waits until the answer is taken: looks at the screens after every turn meanwhile.
    private func quiet(tried: String? = nil, confirmed key: String? = nil, _ before: Shown? = nil) async {
        func isTaken() -> Bool {
            guard let item = scene.outbox.pending.first(where: { $0.id == key ?? tried }) else {
                return true
            }
            if key != nil { return false }
            if case .sending = item.state { return false }
            return true
        }
        let after = expected()
        for turn in turns() {
            if isTaken() { return }
            await Task.yield()
            // In each turn all of it is shown, or nothing.
            guard let before, faults.isEmpty else { continue }
            let now = shown()
            for (part, name) in [(\Shown.screens as PartialKeyPath<Shown>, "screens"), (\Shown.list, "list")] {
                let values = [now, before, after].map { "\($0[keyPath: part])" }
                if values[0] != values[1], values[0] != values[2] {
                    faults.append("in turn \(turn) \(name) \(values[0]), before \(values[1]), after \(values[2])")
                }
            }
        }
        faults.append("no end of \(key ?? "a try"): \(scene.outbox.pending.map { ($0.id, $0.state) })")
    }

    private func relaunch() async throws {
        log.append("relaunch")
        // What was submitted is on disk with the commit behind it.
        await scene.outbox.stored()
        scene.outbox.close()
        arrived = nil
        launches += 1
        scene.server.dropAll()
        scene = try Scene(cache, clock: clock, keys: "\(launches).")
        feed = CollectionDataProvider<Post>(dataModelManager: scene.manager)
        _ = try await feed.fetchDataFromCache(withCacheKey: "feed")
        screens = try await screens(of: scene)
        clock.advance(100)
    }

    /// What the model says is to be shown.
    private func expected() -> Shown {
        var shown = posts
        var order = list
        for (_, step) in steps {
            switch step {
            case .like(let id):
                if shown[id]?.isLiked == false {
                    shown[id]?.isLiked = true
                    shown[id]?.likes += 1
                }
            case .edit(let id, let text): shown[id]?.text = text
            case .write(let id, let text):
                shown[id] = Post(id: id, text: text)
                order.append(id)
            case .takeOut(let id): order.removeAll { $0 == id }
            case .toFront(let id): if order.contains(id) { order = [id] + order.filter { $0 != id } }
            }
        }
        return Shown(screens: (1...4).map { shown[$0] }, list: order.compactMap { shown[$0] })
    }

    private func shown() -> Shown { Shown(screens: screens.map(\.data), list: feed.data) }

    /// Compares what is shown with the model.
    private func check(_ place: String) {
        let (now, model) = (shown(), expected())
        if now.screens != model.screens { faults.append("\(place): screens \(now.screens), model \(model.screens)") }
        if now.list != model.list { faults.append("\(place): list \(now.list), model \(model.list)") }
    }

    private func checkOther(_ place: String) {
        let model = expected()
        let (screens, list) = (otherScreens.map(\.data), otherFeed.data)
        if screens != model.screens { faults.append("\(place): screens \(screens), model \(model.screens)") }
        if list != model.list { faults.append("\(place): list \(list), model \(model.list)") }
    }

    /// Confirms the rest; then the cache has what the model has, and nothing is kept.
    private func finish() async {
        while faults.isEmpty, let first = steps.first {
            guard let request = await request() else { return }
            steps.removeFirst()
            request.reply(.success(carryOut(first.step).answer))
            await quiet(confirmed: first.key)
            await arrive()
            check("end")
        }
        guard faults.isEmpty else { return }
        await scene.outbox.flush()
        // A commit without models is told to no follower: what was taken back here is seen there by `resume()`.
        other.outbox.resume()
        other.outbox.suspend()
        await settle()
        checkOther("at the end, elsewhere")
        for id in 1...4 where (try? cache.model(Post.self, id: id)) != posts[id] {
            faults.append("cache: Post \(id)")
        }
        let stored = try? cache.collection("feed", of: Post.self)
        if stored != list.map({ post($0) }) { faults.append("cache: list \(String(describing: stored))") }
        if (try? cache.allKept().contains { $0.name.hasPrefix("outbox.m.") }) != false { faults.append("kept") }
    }
}
