import Backstitch
import BackstitchSimulator
import BackstitchSupport
import BackstitchSync
import BackstitchTestKit
import Foundation
import TestSupport
import Testing

@Suite("sync with a server that knows CloudKit Web Services and nothing else")
struct PlainServerTests {
    /// Every switch alone, all at once, and none.
    static let behaviors: [PlainBehavior] = {
        let switches: [(inout PlainBehavior) -> Void] = [
            { $0.saysExists = true }, { $0.failsWhole = true }, { $0.sendsEmptyPages = true },
            { $0.leavesOutLists = true }, { $0.shufflesResults = true }, { $0.tellsOldDeletions = false },
            { $0.hasSubscriptions = false }, { $0.forgetsNotificationInfo = true }, { $0.page = 2 },
            { $0.operations = 1 },
        ]
        var all = PlainBehavior()
        for change in switches { change(&all) }
        return [PlainBehavior(), all]
            + switches.map { change in
                var behavior = PlainBehavior()
                change(&behavior)
                return behavior
            }
    }()

    @Test("edits, links, deletions, conflicts and assets of three devices arrive everywhere", arguments: behaviors)
    func everything(_ behavior: PlainBehavior) async throws {
        try await PlainWorld.run(behavior) { world in
            let a = try world.device(), b = try world.device()
            let photo = Data((0..<3_000).map { UInt8(truncatingIfNeeded: $0 &* 7) })
            let id = try await a.addNote("both") { note, context in
                note.body = "base"
                note.cover = photo
                let folder = TestFolder(context: context), tag = TestTag(context: context)
                folder.name = "Home"
                tag.name = "craft"
                note.folder = folder
                note.tags = [tag]
            }
            let gone = try await a.addNote("gone")
            _ = try await converge(a, b)
            #expect(try await b.read { try ($0.existingObject(with: id) as? TestNote)?.cover } == photo)
            // Different properties, then the same one.
            try await a.change(id) { note, _ in note.title = "by a" }
            try await b.change(id) { note, _ in note.rank = 7 }
            try await b.delete(gone)
            for number in 0..<5 { _ = try await b.addNote("more \(number)") }
            _ = try await converge(a, b, a)
            try await a.change(id) { note, _ in note.body = "a's" }
            try await b.change(id) { note, _ in note.body = "b's" }
            let dumps = try await converge(a, b, a)
            #expect(dumps[0] == dumps[1])
            #expect(try await b.titles() == ["by a", "more 0", "more 1", "more 2", "more 3", "more 4"])
            let c = try world.device()
            #expect(try await converge(c)[0] == dumps[0])
            #expect(try await c.sync.assets.missing().isEmpty)
            for device in [a, b, c] { #expect(try await device.sync.blocked.changes().isEmpty) }
            for device in [a, b, c] { #expect(try await device.sync.blocked.parkedRecords().isEmpty) }
            let odd = world.server.refusals.filter {
                !$0.contains("could not find handler") && !$0.contains("limit exceeded")
            }
            #expect(odd.isEmpty, "\(odd)")
        }
    }

    @Test("an answer to an insert, an edit or a deletion that is lost costs nothing and doubles nothing")
    func lostAnswers() async throws {
        for policy in [ConflictResolutionPolicy.serverWins, .clientWins] {
            try await PlainWorld.run { world in
                let a = try world.device(policy: policy), b = try world.device(policy: policy)
                let id = try await a.addNote("first"), doomed = try await a.addNote("doomed")
                func losing(_ device: SyncDevice) async throws {
                    world.interfere { request, _ in request.path.contains("records/modify") ? .hangUp : nil }
                    // Every answer to a push is lost. Meanwhile a pull may find the push's records.
                    do { try await device.sync.sync() } catch is BackstitchError {}
                    world.interfere(nil)
                    try await device.sync.sync()
                }
                try await losing(a)
                try await a.change(id) { note, _ in note.title = "second" }
                try await a.delete(doomed)
                try await losing(a)
                let dumps = try await converge(a, b)
                #expect(dumps[0] == dumps[1])
                #expect(try await b.titles() == ["second"])
                #expect(world.server.records(ofZone: "Backstitch").count == 1)
            }
        }
    }

    @Test("tokens that are not honoured any more: what was deleted meanwhile goes, what is unsent stays")
    func expired() async throws {
        try await PlainWorld.run { world in
            let a = try world.device(), b = try world.device()
            var ids: [ObjectID] = []
            for number in 0..<6 { ids.append(try await a.addNote("note \(number)")) }
            _ = try await converge(a, b)
            try await b.delete(ids[0])
            try await b.sync.sync()
            world.server.forgetDeletions()
            try await a.change(ids[1]) { note, _ in note.title = "unsent" }
            let dumps = try await converge(a, b)
            #expect(dumps[0] == dumps[1])
            #expect(try await a.titles() == ["note 2", "note 3", "note 4", "note 5", "unsent"])
        }
    }

    /// Servers by the means they have to tell the lives of a zone apart: our subscription's mark, the subscription
    /// alone, or nothing.
    static let signals: [PlainBehavior] = {
        var bare = PlainBehavior(), none = PlainBehavior()
        bare.forgetsNotificationInfo = true
        none.hasSubscriptions = false
        return [PlainBehavior(), bare, none]
    }()

    @Test("a zone that is deleted and made anew empties no device", arguments: signals, [0, 1, 2])
    func madeAnew(_ behavior: PlainBehavior, by maker: Int) async throws {
        try await PlainWorld.run(behavior) { world in
            let a = try world.device(), b = try world.device(), stranger = try world.device()
            var ids: [ObjectID] = []
            for number in 0..<5 { ids.append(try await a.addNote("note \(number)")) }
            _ = try await converge(a, b)
            try await b.change(ids[0]) { note, _ in note.body = "unsent" }
            world.server.deleteZone("Backstitch")
            switch maker {
            // A device without objects, one with all of them, or none.
            case 0:
                _ = try await stranger.addNote("stranger's")
                try await stranger.sync.sync()
            case 1: try await a.sync.sync()
            default: break
            }
            let dumps = try await converge(b, a, stranger, b, a)
            #expect(dumps[0] == dumps[1])
            #expect(dumps[0] == dumps[2])
            let titles = try await a.titles()
            for number in 0..<5 { #expect(titles.contains("note \(number)")) }
            let edited = ids[0]
            let body = try await a.read { try ($0.existingObject(with: edited) as? TestNote)?.body }
            #expect(body == "unsent")
            #expect(titles.count == (maker == 0 ? 6 : 5))
        }
    }

    @Test(
        "what only this device has of a zone that was made anew is not overwritten by the older values of another device",
        arguments: signals, [true, false])
    func olderValues(_ behavior: PlainBehavior, isWhole: Bool) async throws {
        try await PlainWorld.run(behavior) { world in
            let a = try world.device(policy: .clientWins), b = try world.device()
            var ids: [ObjectID] = []
            for number in 0..<3 { ids.append(try await a.addNote("note \(number)")) }
            _ = try await converge(a, b, a)
            // Only the server and its author have it.
            try await a.change(ids[0]) { note, _ in note.body = "newest" }
            if !isWhole { _ = try await a.addNote("a's alone") }
            try await a.sync.sync()
            world.server.deleteZone("Backstitch")
            // Made anew by a device that has never read it.
            try await b.sync.sync()
            let dumps = try await converge(a, b, a)
            #expect(dumps[0] == dumps[1])
            let edited = ids[0]
            let body = try await b.read { try ($0.existingObject(with: edited) as? TestNote)?.body }
            #expect(body == "newest")
            #expect(try await b.titles().count == (isWhole ? 3 : 4))
        }
    }

    @Test(
        "a push that a lost zone refused is not taken for one that may have arrived in the next zone",
        arguments: signals)
    func refusedPush(_ behavior: PlainBehavior) async throws {
        try await PlainWorld.run(behavior) { world in
            let a = try world.device(policy: .clientWins), b = try world.device()
            let id = try await a.addNote("note")
            _ = try await converge(a, b, a)
            try await a.change(id) { note, _ in note.body = "newest" }
            try await a.sync.sync()
            world.server.deleteZone("Backstitch")
            // Deleted again when a has made it anew, between its pull and its push.
            let isMade = Locked(false)
            world.interfere { [server = world.server] request, answer in
                if request.path.contains("zones/modify") { isMade.withLock { $0 = true } }
                if request.path.contains("changes/zone"), answer.status == 200, isMade.withLock({ $0 }) {
                    server.deleteZone("Backstitch")
                }
                return nil
            }
            _ = try? await a.sync.sync()
            world.interfere(nil)
            try await b.sync.sync()
            let dumps = try await converge(a, b, a)
            #expect(dumps[0] == dumps[1])
            let body = try await b.read { try ($0.existingObject(with: id) as? TestNote)?.body }
            #expect(body == "newest")
        }
    }

    @Test("an edit of a zone that was made anew, sent before anything was read, is no deletion", arguments: signals)
    func pushFirst(_ behavior: PlainBehavior) async throws {
        try await PlainWorld.run(behavior) { world in
            let a = try world.device(), b = try world.device()
            let id = try await a.addNote("kept")
            _ = try await a.addNote("other")
            _ = try await converge(a, b)
            try await a.change(id) { note, _ in note.title = "edited" }
            // Between the pull and the push of one cycle.
            let isFirst = Locked(true)
            world.interfere { [server = world.server] request, _ in
                guard request.path.contains("changes/zone"),
                    isFirst.withLock({ first in
                        defer { first = false }
                        return first
                    })
                else { return nil }
                server.deleteZone("Backstitch")
                _ = server.answer(
                    .init(
                        "POST", "http://h/database/1/iCloud.backstitch/development/private/zones/modify",
                        body: Array(
                            #"{"operations":[{"operationType":"create","zone":{"zoneID":{"zoneName":"Backstitch"}}}]}"#
                                .utf8)))
                return nil
            }
            _ = try? await a.sync.sync()
            world.interfere(nil)
            let dumps = try await converge(a, b, a)
            #expect(dumps[0] == dumps[1])
            #expect(try await a.titles() == ["edited", "other"])
        }
    }

    @Test("nothing goes out that no document names, and who the user is is asked where the documents say")
    func documentedKeys() async throws {
        try await PlainWorld.run(token: "web+0/=") { world in
            let a = try world.device(nil, [.syncWebAuthToken: "web+0/="])
            _ = try await a.addNote("note")
            try await a.sync.sync()
            try await a.sync.sync()
            // The very first request has the tokens in headers, so that no address shows them. This server wants them
            // in the address.
            #expect(world.server.refusals == ["users/caller: request needs authorization"])
            #expect(world.server.counts["users/caller"] == 2)
            #expect(world.server.counts["users/current"] == nil)
            #expect(try await a.sync.status.pendingCount == 0)
        }
    }

    @Test("news come by the long poll")
    func poll() async throws {
        try await PlainWorld.run { world in
            let a = try world.device(automatic: true, [.syncPollInterval: 600])
            let b = try world.device(automatic: true, [.syncPollInterval: 600])
            try await a.sync.sync()
            try await b.sync.sync()
            #expect(try await eventually { world.server.counts["aps", default: 0] >= 2 })
            _ = try await a.addNote("told")
            #expect(try await eventually { try await b.titles() == ["told"] })
        }
    }
}
