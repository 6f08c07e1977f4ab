import Backstitch
import BackstitchSimulator
import BackstitchSupport
import BackstitchSync
import Foundation
import TestSupport
import Testing

@Suite("web tokens that change with each answer")
struct WebTokenTests {
    private static let first: [StoreOption: any Sendable] = [.syncWebAuthToken: "web+0/="]

    @Test(
        "a device goes on with the newest token, however strict the server is",
        arguments: PlainBehavior.WebTokens.allCases)
    func rotation(_ tokens: PlainBehavior.WebTokens) async throws {
        var behavior = PlainBehavior()
        behavior.webTokens = tokens
        try await PlainWorld.run(behavior, token: "web+0/=") { world in
            let a = try world.device(automatic: true, Self.first)
            for number in 0..<10 {
                _ = try await a.addNote("note \(number)") { note, _ in note.cover = Data("cover \(number)".utf8) }
                try await a.sync.sync()
            }
            #expect(try await eventually { world.server.records(ofZone: "Backstitch").count == 10 })
            let refusals = world.server.refusals
            // The very first request has the token in a header, which this server ignores.
            #expect(refusals == ["users/caller: request needs authorization"])
        }
    }

    @Test(
        "a program that is started four times with its first token stays signed in",
        arguments: [PlainBehavior.WebTokens.rotating, .singleUse])
    func restarts(_ tokens: PlainBehavior.WebTokens) async throws {
        var behavior = PlainBehavior()
        behavior.webTokens = tokens
        try await PlainWorld.run(behavior, token: "web+0/=") { world in
            for opening in 1...4 {
                let device = try world.device("store", Self.first)
                _ = try await device.addNote("of opening \(opening)")
                try await device.sync.sync()
                #expect(try await device.sync.status.state == .idle)
                #expect(world.server.records(ofZone: "Backstitch").count == opening)
                try device.close()
            }
            let files = try FileManager.default.subpathsOfDirectory(atPath: world.folder.path)
            let kept = try #require(files.first { $0.hasSuffix(".sync-credential") }, "\(files)")
            let attributes = try FileManager.default.attributesOfItem(atPath: world.folder.appending(path: kept).path)
            #expect(attributes[.posixPermissions] as? Int == 0o600)
        }
    }

    @Test(
        "one lost answer costs nothing; after two in a row the user must sign in again, and is told so; nothing is lost"
    )
    func lostAnswers() async throws {
        var behavior = PlainBehavior()
        behavior.webTokens = .rotating
        try await PlainWorld.run(behavior, token: "web+0/=") { world in
            let a = try world.device(nil, Self.first)
            _ = try await a.addNote("kept")
            func lose(_ count: Int) {
                let left = Locked(count)
                world.interfere { _, _ in
                    left.withLock { left in
                        left -= 1
                        return left >= 0 ? .hangUp : nil
                    }
                }
            }
            try await a.sync.sync()
            lose(1)
            try await a.sync.sync()
            lose(2)
            let error = await #expect(throws: BackstitchError.self) { try await a.sync.sync() }
            #expect(error?.code == .authentication)
            #expect(error?.message.contains("sign in again") == true, "\(error?.message ?? "")")
            #expect(try await a.sync.status.state == .needsCredentials)
            _ = try await a.addNote("meanwhile")
            world.interfere(nil)
            a.sync.setCredentials(apiToken: nil, webAuthToken: world.server.webToken)
            try await a.sync.sync()
            #expect(world.server.records(ofZone: "Backstitch").count == 2)
        }
    }
}
