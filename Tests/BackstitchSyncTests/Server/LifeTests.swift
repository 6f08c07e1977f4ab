import Backstitch
import BackstitchServer
import BackstitchSync
import Foundation
import TestSupport
import Testing

@Suite("the life of a synced store")
struct LifeTests {
    @Test("what was unsent when a store closed is sent by the next that opens it")
    func reopen() async throws {
        try await SyncWorld.run { world in
            let first = try world.device("phone")
            let id = try await first.addNote("kept")
            try first.close()
            let second = try world.device("phone")
            #expect(try await second.sync.status.pendingCount == 1)
            try await second.sync.sync()
            #expect(try await WireView(world).record(id) != nil)
            // Nothing is set up or sent twice.
            await world.faults.clear()
            try await second.sync.sync()
            #expect(await world.faults.requests == ["changes/zone", "changes/database"])
        }
    }

    @Test("the folder of a store is its owner's alone", .onFiles)
    func modes() async throws {
        try await SyncWorld.run { world in
            let device = try world.device("phone")
            #expect(device.container.coordinator.store is SyncStore)
            let folder = world.folder(of: "phone")
            let mode = try FileManager.default.attributesOfItem(atPath: folder.path)[.posixPermissions] as? Int
            #expect(mode == 0o700)
            #expect(FileManager.default.fileExists(atPath: folder.appending(path: "store.sqlite").path))
        }
    }

    @Test("a closed store refuses who asks, at once, and ends its events")
    func closed() async throws {
        try await SyncWorld.run { world in
            let device = try world.device()
            let events = device.sync.events
            try device.close()
            let error = await #expect(throws: BackstitchError.self) { try await device.sync.sync() }
            #expect(error?.code == .storeClosed)
            for await _ in events {}
        }
    }

    @Test("closing in the middle of a request does not wait for the server")
    func closeWhileBusy() async throws {
        try await SyncWorld.run { world in
            let device = try world.device()
            let (arrivals, arrived) = AsyncStream.makeStream(of: Void.self)
            let (permits, permit) = AsyncStream.makeStream(of: Void.self)
            await world.faults.set { _ in
                arrived.yield()
                for await _ in permits { break }
                return nil
            }
            async let outcome = device.sync.sync()
            for await _ in arrivals { break }
            // It would wait for ever if it waited for the answer.
            try device.close()
            do {
                _ = try await outcome
                Issue.record("a sync of a closed store ended well")
            } catch let error as BackstitchError {
                #expect(error.code == .storeClosed)
            }
            permit.finish()
            await world.faults.clear()
        }
    }

    @Test("a caller that gives up waits no longer; the cycle goes on")
    func cancellation() async throws {
        try await SyncWorld.run { world in
            let device = try world.device(nil, [.syncRequestTimeout: 60])
            _ = try await device.addNote("note")
            let (arrivals, arrived) = AsyncStream.makeStream(of: Void.self)
            let (permits, permit) = AsyncStream.makeStream(of: Void.self)
            await world.faults.set { _ in
                arrived.yield()
                for await _ in permits { break }
                return nil
            }
            let task = Task { try await device.sync.sync() }
            for await _ in arrivals { break }
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
            // The caller has gone before the server answered anything.
            permit.finish()
            #expect(try await eventually { try await device.sync.status.pendingCount == 0 })
        }
    }

    @Test("paused, saves go on and wait; resumed, they are sent")
    func pause() async throws {
        try await SyncWorld.run { world in
            let device = try world.device(automatic: true)
            #expect(try await eventually { try await device.sync.status.isFirstSyncComplete })
            device.sync.pause()
            #expect(try await eventually { try await device.sync.status.state == .paused })
            _ = try await device.addNote("waiting")
            let error = await #expect(throws: BackstitchError.self) { try await device.sync.sync() }
            #expect(error?.code == .syncPaused)
            #expect(try await device.sync.status.pendingCount == 1)
            device.sync.resume()
            #expect(try await eventually { try await device.sync.status.pendingCount == 0 })
        }
    }

    @Test("callers at the same time share cycles, and each gets what it waited for")
    func manyCallers() async throws {
        try await SyncWorld.run { world in
            let device = try world.device()
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<20 {
                    group.addTask {
                        let id = try await device.addNote("note \(number)")
                        try await device.sync.sync()
                        // A note that was saved before the call is on the server after it.
                        #expect(try await WireView(world).record(id) != nil)
                    }
                }
                try await group.waitForAll()
            }
        }
    }

    @Test("a server that does not answer in time is offline, not for ever")
    func timeout() async throws {
        try await SyncWorld.run { world in
            let device = try world.device(nil, [.syncRequestTimeout: 0.2])
            await world.faults.set { _ in .delay(milliseconds: 1_500) }
            let error = await #expect(throws: BackstitchError.self) { try await device.sync.sync() }
            #expect(error?.code == .network)
            await world.faults.clear()
            // A busy machine may need longer than the short time limit, also without the fault.
            #expect(
                try await eventually {
                    do {
                        try await device.sync.sync()
                        return true
                    } catch let error as BackstitchError where error.code == .network {
                        return false
                    }
                })
        }
    }

    @Test("with tokens the server knows the user; without valid ones sync waits for new ones")
    func credentials() async throws {
        var configuration = ZoneServerConfiguration(port: 0, storage: .memory)
        configuration.shutdownGrace = 1
        configuration.containers = .any
        configuration.apiTokens = [TokenDigest(of: "api+token/=0123456789abcdef")]
        configuration.users = [.init(userRecordName: "_ann", webAuthToken: "ann's+token/=0123456789abcdef")]
        let server = try ZoneServer(configuration: configuration)
        let url = try await server.start()
        let device = try SyncDevice(
            options: [
                .syncServerURL: url.absoluteString, .syncAutomatically: false, .syncOnSave: false,
                .syncAPIToken: "api+token/=0123456789abcdef",
                .syncWebAuthToken: "wrong",
            ], url: nil)
        _ = try await device.addNote("note")
        let error = await #expect(throws: BackstitchError.self) { try await device.sync.sync() }
        #expect(error?.code == .authentication)
        #expect(try await device.sync.status.state == .needsCredentials)
        #expect(try await device.sync.status.pendingCount == 1)
        device.sync.setCredentials(
            apiToken: "api+token/=0123456789abcdef", webAuthToken: "ann's+token/=0123456789abcdef")
        try await device.sync.sync()
        #expect(try await device.sync.status.pendingCount == 0)
        #expect(try await device.sync.status.state == .idle)
        try device.close()
        try await server.stop()
    }
}
