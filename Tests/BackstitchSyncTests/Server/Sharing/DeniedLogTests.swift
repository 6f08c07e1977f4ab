import Backstitch
import BackstitchSupport
import BackstitchSync
import BackstitchTestKit
import Logging
import TestSupport
import Testing

@Suite("the log of saves without the right to them", .timeLimit(.minutes(3)))
struct DeniedLogTests {
    @Test("has no line: the error tells it")
    func denied() async throws {
        try await SharedLists.run { lists in
            let (_, share) = try await lists.club(.reader)
            let lines = Locked<[String]>([])
            let bob = try ScenarioStore.$logger.withValue(Logger(label: "test") { _ in LineLog(lines: lines) }) {
                try lists.guest("bob")
            }
            try await bob.sync.sharing.accept(at: share.url)
            try await bob.sync.sync()
            let id = try await bob.note("n1")
            func told() -> [String] {
                lines.withLock { $0 }.filter { line in ["trace", "debug"].allSatisfy { !line.hasPrefix($0) } }
            }
            let before = told().count
            try await expectDenied(bob, [id]) {
                try $0.existingObject(with: id).setValue(.string("x"), forKey: "title")
            }
            try await expectDenied(bob) { $0.delete(try $0.existingObject(with: id)) }
            #expect(told().count == before, "\(told())")
            // A closure that forgets to save is told here.
            try await bob.container.perform { try $0.existingObject(with: id).setValue(.string("x"), forKey: "title") }
            #expect(told().count == before + 1, "\(told())")
        }
    }
}
