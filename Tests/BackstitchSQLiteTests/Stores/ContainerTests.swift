import Backstitch
import BackstitchSQLite
import BackstitchSupport
import BackstitchTestKit
import Dispatch
import Foundation
import Logging
import TestSupport
import Testing

@Suite("a container's threads and its end", .timeLimit(.minutes(2)))
struct ContainerTests {
    @Test(
        "as many closures run at once as the store serves, or as the option says",
        arguments: [
            ([:], 8), ([.sqliteMaximumReaderCount: 20], 21), ([.maximumConcurrency: 20], 20),
            ([.maximumConcurrency: "3", .sqliteMaximumReaderCount: 20], 3),
        ] as [([StoreOption: any Sendable], Int)])
    func concurrency(options: [StoreOption: any Sendable], count: Int) async throws {
        let container = try PersistentContainer(
            model: Bookcase.model, store: .init(type: .sqlite, options: options))
        let meeting = Meeting(count)
        await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<2 * count { group.addTask { try await container.perform { _ in meeting.attend() } } }
        }
        #expect(meeting.isComplete)
        #expect(meeting.most == count)
        try container.close()
    }

    @Test("an option that is no number of closures is refused")
    func option() {
        let error = #expect(throws: BackstitchError.self) {
            try PersistentContainer(
                model: Bookcase.model, store: .init(type: .sqlite, options: [.maximumConcurrency: 0]))
        }
        #expect(error?.code == .invalidOption)
    }

    @Test("closing waits for closures that are under way, which save, and refuses new ones at once")
    func closing() async throws {
        try await Bookcase.withFolder { folder in
            let store = PersistentStoreDescription(type: .sqlite, url: folder.appending(path: "books.sqlite"))
            let container = try PersistentContainer(model: Bookcase.model, store: store)
            let importer = container.newBackgroundContext()
            let begun = DispatchSemaphore(value: 0), release = DispatchSemaphore(value: 0)
            let save: @Sendable (ManagedObjectContext) throws -> Void = { context in
                begun.signal()
                release.wait()
                _ = Volume("Dune", in: context)
                try context.save()
            }
            async let work: Void = container.perform(save)
            async let more: Void = importer.perform(save)
            await wait(for: begun, times: 2)
            async let closing: Void = close(container, within: 60)
            await expectRefusal { try await container.perform { _ in } }
            await expectRefusal { try await importer.perform { _ in } }
            for _ in 0..<2 { release.signal() }
            _ = try await (work, more, closing)
            let again = try PersistentContainer(model: Bookcase.model, store: store)
            #expect(try await again.perform { try $0.count(for: FetchRequest<Volume>()) } == 2)
            try again.close()
        }
    }

    @Test("closing gives up after its limit, and says so; the closure's next request says that the store is closed")
    func limit() async throws {
        let lines = Locked<[String]>([])
        let container = try PersistentContainer(
            model: Bookcase.model, store: .init(type: .sqlite),
            logger: Logger(label: "test") { _ in LineLog(lines: lines) })
        let begun = DispatchSemaphore(value: 0), release = DispatchSemaphore(value: 0)
        let work = Task {
            try await container.perform { context in
                begun.signal()
                release.wait()
                return try context.count(for: FetchRequest<Volume>())
            }
        }
        await wait(for: begun)
        try await close(container, within: 0.05)
        release.signal()
        let error = await #expect(throws: BackstitchError.self) { try await work.value }
        #expect(error?.code == .storeClosed)
        #expect(
            lines.withLock {
                $0.contains { $0.contains("closures of perform still ran") && $0.contains("\"closures\": 1") }
            })
    }

    @Test("a closure that closes its container does not wait for itself")
    func inside() async throws {
        let container = try PersistentContainer(model: Bookcase.model, store: .init(type: .sqlite))
        try await container.perform { _ in try container.close(within: 600) }
        await #expect(throws: BackstitchError.self) { try await container.perform { _ in } }
    }

    /// Closes a container on a thread that may wait.
    private func close(_ container: PersistentContainer, within seconds: Double) async throws {
        try await withCheckedThrowingContinuation { continuation in
            Thread { continuation.resume(with: Result { try container.close(within: seconds) }) }.start()
        }
    }

    private func wait(for semaphore: DispatchSemaphore, times: Int = 1) async {
        await withCheckedContinuation { continuation in
            Thread {
                for _ in 0..<times { semaphore.wait() }
                continuation.resume()
            }.start()
        }
    }

    /// Begins work until it is refused.
    private func expectRefusal(_ work: () async throws -> Void) async {
        while true {
            do { try await work() } catch {
                #expect((error as? BackstitchError)?.code == .storeClosed)
                return
            }
        }
    }
}
