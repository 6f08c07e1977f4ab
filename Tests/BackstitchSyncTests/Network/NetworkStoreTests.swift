import Backstitch
import BackstitchServer
import BackstitchSupport
import Foundation
import TestSupport
import Testing

@testable import BackstitchSync

@Suite("stores that go by a monitor of the network", .timeLimit(.minutes(3)))
struct NetworkStoreTests {
    private static let api = "canary-api-0123456789abcdef", web = "canary-web-0123456789abcdef"

    /// Runs `body` in a world whose server is asked from elsewhere.
    private func withWorld(_ body: (SyncWorld) async throws -> Void) async throws {
        try await SyncWorld.run(configure: {
            $0.apiTokens = [TokenDigest(of: Self.api)]
            $0.users = [.init(userRecordName: "_ann", webAuthToken: Self.web)]
        }) { world in try await body(world) }
    }

    /// A device that follows a monitor. The server's address is on the loopback, but does not look like it.
    private func device(in world: SyncWorld, _ monitor: NetworkMonitor) throws -> SyncDevice {
        try world.device(
            automatic: true,
            [
                .syncConnectivity: monitor, .syncServerURL: "http://0.0.0.0:\(try #require(world.url.port))",
                .syncAPIToken: Self.api, .syncWebAuthToken: Self.web,
            ])
    }

    @Test("without a network nothing is asked and nothing lost; when it is back, one cycle brings all up to date")
    func backAgain() async throws {
        try await withWorld { world in
            let network = ScriptedNetwork(.unavailable)
            let device = try device(in: world, network.monitor)
            _ = try await device.addNote("offline")
            #expect(try await eventually { try await device.sync.status.state == .offline })
            #expect(try await device.sync.status.lastError?.message.contains("NetworkMonitor") == true)
            #expect(try await device.sync.status.pendingCount == 1)
            #expect(await world.faults.requests == [])

            let started = Locked<[SyncReason]>([])
            let events = device.sync.events
            let watcher = Task {
                for await event in events {
                    if case .started(let reason) = event { started.withLock { $0.append(reason) } }
                }
            }
            #expect(try await eventually { started.withLock { !$0.isEmpty } })
            let before = started.withLock { $0.count }
            network.set(.available)
            #expect(try await eventually { try await device.sync.status.pendingCount == 0 })
            #expect(try await eventually { try await device.sync.status.state == .idle })
            // One cycle, reported with its first reason. If the long poll began after its pull, one more cycle reads
            // the missed changes.
            let reasons = started.withLock { Array($0.dropFirst(before)) }
            #expect(reasons == [.storeAdded] || reasons == [.storeAdded, .push], "\(reasons)")
            #expect(await world.faults.requests.count { $0 == "records/modify" } == 1)

            // The state tells at once that the network has gone, and nothing is asked.
            let asked = await world.faults.requests
            network.set(.unavailable)
            #expect(try await eventually { try await device.sync.status.state == .offline })
            _ = try await device.addNote("offline again")
            let next = try await device.sync.status.nextTry
            device.sync.trigger(.push)
            #expect(try await eventually { try await device.sync.status.nextTry != next })
            #expect(await world.faults.requests.count { $0 == "records/modify" } == 1)
            #expect(await world.faults.requests.filter { $0 != "aps" } == asked.filter { $0 != "aps" })
            // A caller who waits has a try.
            try await device.sync.sync(reason: "asked")
            #expect(try await device.sync.status.pendingCount == 0)
            watcher.cancel()
        }
    }

    @Test("one monitor serves several stores, and has nothing to watch when the last of them is closed")
    func severalStores() async throws {
        try await withWorld { world in
            let network = ScriptedNetwork(.available)
            let monitor = network.monitor
            let devices = try (0..<3).map { _ in try device(in: world, monitor) }
            for device in devices {
                #expect(try await eventually { try await device.sync.status.isFirstSyncComplete })
            }
            #expect(network.watching == 1 && network.made == 1)
            for device in devices.dropLast() { try device.close() }
            #expect(network.watching == 1)
            try devices[2].close()
            #expect(try await eventually { network.watching == 0 })
        }
    }

    @Test("a server on this machine is there without a network")
    func loopback() async throws {
        try await SyncWorld.run { world in
            let network = ScriptedNetwork(.unavailable)
            let device = try world.device(automatic: true, [.syncConnectivity: network.monitor])
            _ = try await device.addNote("sent")
            #expect(try await eventually { try await device.sync.status.pendingCount == 0 })
            #expect(network.made == 0)
        }
    }

    @Test("connectivity of the program's own has the store ask at once when its answer has changed")
    func ownChanges() async throws {
        final class Gate: SyncConnectivity {
            let isOpen = Locked(false)
            let (connectivityChanges, change) = AsyncStream.makeStream(of: Void.self)

            func maySync(for reason: SyncReason) async -> Bool { isOpen.withLock { $0 } }
        }
        try await SyncWorld.run { world in
            let gate = Gate()
            let device = try world.device(automatic: true, [.syncConnectivity: gate])
            _ = try await device.addNote("waits")
            #expect(try await eventually { try await device.sync.status.state == .offline })
            gate.isOpen.withLock { $0 = true }
            gate.change.yield()
            #expect(try await eventually { try await device.sync.status.pendingCount == 0 })
        }
    }
}
