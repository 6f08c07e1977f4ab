import Backstitch
import BackstitchServer
import BackstitchSupport
import BackstitchSync
import CloudWire
import Foundation
import TestSupport
import Testing

@Suite("who may only read a zone")
struct ReaderTests {
    private static let desk = "desk-0123456789abcdefghijkl", wall = "wall-0123456789abcdefghijkl"

    /// A world with two tokens of Ada: one for writing and one for reading.
    private func run(_ body: (SyncWorld) async throws -> Void) async throws {
        try await SyncWorld.run(
            configure: {
                $0.users = [
                    .init(userRecordName: "ada", webAuthToken: Self.desk),
                    .init(userRecordName: "ada", webAuthToken: Self.wall, isReadOnly: true),
                ]
            }, body)
    }

    @Test("a store that follows its zone sees what others change, and refuses every change of its own")
    func follower() async throws {
        try await run { world in
            let writer = try world.device(nil, [.syncWebAuthToken: Self.desk])
            let id = try await writer.addNote("first") { note, _ in note.photo = Data(repeating: 7, count: 300_000) }
            try await writer.sync.sync()
            let follower = try world.device(nil, [.syncWebAuthToken: Self.wall, .syncReadOnly: true])
            #expect(try await follower.sync.sync().received == 1)
            try await writer.change(id) { note, _ in note.title = "second" }
            try await writer.sync.sync()
            try await follower.sync.sync()
            #expect(try await follower.titles() == ["second"])
            let photo = try await follower.read { try ($0.existingObject(with: id) as? TestNote)?.photo }
            #expect(photo == Data(repeating: 7, count: 300_000))

            func refuses(_ change: @escaping @Sendable (ManagedObjectContext) throws -> Void) async {
                let error = await #expect(throws: BackstitchError.self) { try await follower.edit(change) }
                #expect(error?.code == .readOnly)
                #expect(error?.message.contains("syncReadOnly") == true)
            }
            await refuses { TestNote(context: $0).title = "mine" }
            await refuses { (try $0.existingObject(with: id) as? TestNote)?.title = "mine" }
            await refuses { (try $0.existingObject(with: id) as? TestNote)?.cover = Data(repeating: 1, count: 300_000) }
            await refuses { $0.delete(try $0.existingObject(with: id)) }
            await refuses { _ = try $0.execute(BatchDeleteRequest(FetchRequest<TestNote>())) }
            let error = await #expect(throws: BackstitchError.self) { try await follower.sync.eraseCloud() }
            #expect(error?.code == .readOnly)
            #expect(try await follower.sync.status.pendingCount == 0)
            #expect(try await follower.titles() == ["second"])
        }
    }

    @Test(
        "what was saved without the right to it is refused by the server, listed with an event, and given up by a call")
    func forced() async throws {
        try await run { world in
            let writer = try world.device(nil, [.syncWebAuthToken: Self.desk])
            let id = try await writer.addNote("theirs") { note, _ in note.photo = Data([1]) }
            try await writer.sync.sync()
            let reader = try world.device(nil, [.syncWebAuthToken: Self.wall])
            try await reader.sync.sync()
            try await reader.change(id) { note, _ in
                note.title = "mine"
                note.photo = Data(repeating: 2, count: 300_000)
            }
            let new = try await reader.addNote("new")
            let told = Locked<[ObjectID]>([])
            let listening = Task { [events = reader.sync.events] in
                for await event in events {
                    if case .finished(let summary) = event { told.withLock { $0 = summary.blocked.map(\.objectID) } }
                }
            }
            defer { listening.cancel() }
            let summary = try await reader.sync.sync()
            #expect(Set(summary.blocked.map(\.objectID)) == [id, new])
            #expect(summary.blocked.allSatisfy { $0.reason.contains("ACCESS_DENIED") })
            #expect(try await eventually { Set(told.withLock { $0 }) == [id, new] })

            // Others' changes go on arriving.
            _ = try await writer.addNote("later")
            try await writer.sync.sync()
            #expect(try await reader.sync.sync().received == 1)
            #expect(Set(try await reader.titles()) == ["mine", "new", "later"])

            try await reader.sync.blocked.discard([id, new])
            #expect(Set(try await reader.titles()) == ["theirs", "later"])
            let photo = try await reader.read { try ($0.existingObject(with: id) as? TestNote)?.photo }
            #expect(photo == Data([1]))
            #expect(try await reader.sync.blocked.changes().isEmpty)
            #expect(Set(try await writer.titles()) == ["theirs", "later"])
        }
    }
}
