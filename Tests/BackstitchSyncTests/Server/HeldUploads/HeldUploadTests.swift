import Backstitch
import BackstitchServer
import BackstitchSupport
import Foundation
import TestSupport
import Testing

@testable import BackstitchSync

@Suite("records whose large assets are uploaded beside the cycles", .timeLimit(.minutes(5)))
struct HeldUploadTests {
    @Test(
        "texts that are saved while a film is stuck arrive before it, and its record with it", arguments: [true, false])
    func overtakes(isNew: Bool) async throws {
        try await StuckFilm.run(isNew: isNew) { stuck in
            for number in 0..<3 { #expect(try await stuck.textArrives("text \(number)")) }
            #expect(try await stuck.seen()?.photo == nil)
            #expect(try await stuck.seen().map(\.title) == (isNew ? nil : "film"))
            #expect(try await eventually { try await stuck.a.sync.status.pendingCount == 1 })
            await stuck.letGo()
            try await stuck.expectEqual()
            #expect(try await stuck.seen()?.photo == StuckFilm.bytes(1))
        }
    }

    @Test("where the batch takes the film along, texts wait for it")
    func without() async throws {
        try await StuckFilm.run(perBatch: .max) { stuck in
            #expect(try await stuck.textArrives("text", within: .seconds(3)) == false)
            await stuck.letGo()
            try await stuck.expectEqual()
        }
    }

    @Test("a call of sync returns when the film has arrived, though a text has made another cycle meanwhile")
    func promise() async throws {
        try await StuckFilm.run { stuck in
            let isBack = Locked(false)
            let call = Task {
                let summary = try await stuck.a.sync.sync()
                isBack.withLock { $0 = true }
                return summary
            }
            #expect(try await stuck.textArrives("text"))
            #expect(!isBack.withLock { $0 })
            // One that begins later waits for it too.
            let later = Task { try await stuck.a.sync.sync() }
            #expect(try await stuck.textArrives("another"))
            #expect(!isBack.withLock { $0 })
            await stuck.letGo()
            let sent = try await call.value.sent + later.value.sent
            #expect(sent >= 3)
            #expect(try await stuck.a.sync.status.pendingCount == 0)
            try await stuck.expectEqual()
        }
    }

    @Test("who closes the store while a film is on its way need not wait, and the next start goes on with the film")
    func closing() async throws {
        try await StuckFilm.run { stuck in
            let call = Task { try await stuck.a.sync.sync() }
            #expect(try await stuck.textArrives("text"))
            try stuck.a.close()
            let error = await #expect(throws: BackstitchError.self) { try await call.value }
            #expect(error?.code == .storeClosed)
            let again = try stuck.world.device("phone", StuckFilm.options.merging([.syncWebAuthToken: "_ann"]) { $1 })
            await stuck.letGo()
            try await stuck.expectEqual(again)
            #expect(try await stuck.seen()?.photo == StuckFilm.bytes(1))
        }
    }

    @Test("an upload that has failed is told, is tried again by itself, and keeps no text waiting")
    func failure() async throws {
        try await StuckFilm.run { stuck in
            let call = Task { try await stuck.a.sync.sync() }
            #expect(try await stuck.textArrives("before"))
            stuck.dam.open(.dropConnection)
            let error = await #expect(throws: BackstitchError.self) { try await call.value }
            #expect(error?.code == .network)
            #expect(try await stuck.a.sync.status.lastError?.code == .network)
            // The waits between tries grow, and texts do not wait for them.
            for number in 0..<4 { #expect(try await stuck.textArrives("after \(number)")) }
            await stuck.letGo()
            #expect(try await eventually { try await stuck.a.sync.status.pendingCount == 0 })
            try await stuck.expectEqual()
            #expect(try await stuck.a.sync.status.lastError == nil)
            #expect(try await stuck.seen()?.photo == StuckFilm.bytes(1))
        }
    }

    @Test("a film for which there is no room is told, texts go on, and it goes when there is room")
    func room() async throws {
        try await StuckFilm.run(configure: { $0.userQuotas.bytes = 6_000_000 }) { stuck in
            await stuck.letGo()
            try await stuck.expectEqual()
            let second = try await stuck.a.addNote("second") { note, _ in note.photo = StuckFilm.bytes(2) }
            #expect(try await eventually { try await stuck.a.sync.status.lastError?.code == .quota })
            for number in 0..<3 { #expect(try await stuck.textArrives("after \(number)")) }
            #expect(try await eventually { try await stuck.a.sync.status.state == .needsRoom })
            await #expect(throws: BackstitchError.self) { try await stuck.a.sync.sync() }
            try await stuck.a.delete(second)
            try await stuck.expectEqual()
            #expect(try await stuck.a.sync.status.state == .idle)
        }
    }

    @Test("another user who signs in meanwhile gets the film, with bytes of that user's own upload")
    func otherUser() async throws {
        try await StuckFilm.run(isNew: true) { stuck in
            #expect(try await stuck.textArrives("text"))
            stuck.a.sync.setCredentials(apiToken: nil, webAuthToken: "_bob")
            #expect(try await eventually { stuck.dam.held > 1 })
            await stuck.letGo()
            try await stuck.a.sync.sync()
            let bob = try stuck.world.device(nil, [.syncWebAuthToken: "_bob"])
            try await bob.sync.sync()
            #expect(try await bob.dump() == stuck.a.dump())
            #expect(try await stuck.a.sync.status.pendingCount == 0)
            // The first user's data stays as it was.
            try await stuck.b.sync.sync()
            #expect(try await stuck.b.titles() == ["text"])
        }
    }

    @Test("an object whose film is taken away while it is stuck waits for it no longer")
    func takenAway() async throws {
        try await StuckFilm.run(isNew: false) { stuck in
            try await stuck.a.change(stuck.film) { note, _ in (note.title, note.photo) = ("without", nil) }
            #expect(
                try await eventually(within: .seconds(30)) {
                    try await stuck.b.sync.sync()
                    return try await stuck.seen()?.title == "without"
                })
            await stuck.letGo()
            try await stuck.expectEqual()
        }
    }

    @Test("small assets that a batch does not take along go in groups, with few requests")
    func groups() async throws {
        try await SyncWorld.run { world in
            let a = try world.device(nil, StuckFilm.options), b = try world.device()
            try await a.sync.sync()
            a.sync.services.heldUploads.perBatch = 20_000
            try await a.edit { context in
                for number in 0..<100 {
                    let note = TestNote(context: context)
                    note.title = "photo"
                    note.photo = Data("\(number)".utf8) + Data(count: 990)
                }
            }
            await world.faults.clear()
            #expect(try await a.sync.sync().sent == 100)
            let requests = await world.faults.requests
            #expect(requests.count { $0 == "assets bytes" } == 100)
            // Twenty fit the batch, and the others make four groups.
            #expect(requests.count { $0 == "assets/upload" } == 5)
            #expect(requests.count { $0 == "records/modify" } <= 5)
            await world.faults.clear()
            try await b.sync.sync()
            #expect(try await b.dump() == a.dump())
        }
    }

    @Test("a film that has failed keeps no newer state of its object waiting", arguments: [false, true])
    func replacedAfterFailure(isDeletion: Bool) async throws {
        try await SyncWorld.run { world in
            let a = try world.device(nil, StuckFilm.options), b = try world.device()
            let id = try await a.addNote("film")
            try await a.sync.sync()
            try await a.change(id) { note, _ in note.photo = StuckFilm.bytes(1) }
            await world.faults.set { $0.endpoint == "assets bytes" ? .dropConnection : nil }
            await #expect(throws: BackstitchError.self) { try await a.sync.sync() }
            await world.faults.clear()
            try await a.change(id) { note, context in
                if isDeletion { context.delete(note) } else { note.photo = Data("small".utf8) }
            }
            try await a.sync.sync()
            #expect(await world.faults.requests.count { $0 == "assets bytes" } == (isDeletion ? 0 : 1))
            try await b.sync.sync()
            #expect(try await b.dump() == a.dump())
            let status = try await a.sync.status
            #expect(status.pendingCount == 0 && status.lastError == nil)
        }
    }
}
