import Backstitch
import BackstitchSupport
import BackstitchSync
import TestSupport
import Testing

@Suite("a program that says whether the network may be used", .timeLimit(.minutes(3)))
struct ConnectivityTests {
    private final class Gate: SyncConnectivity {
        private let state = Locked((isOpen: false, asked: [SyncReason]()))

        var asked: [SyncReason] { state.withLock { $0.asked } }

        func open() { state.withLock { $0.isOpen = true } }

        func maySync(for reason: SyncReason) async -> Bool {
            state.withLock { state in
                state.asked.append(reason)
                return state.isOpen
            }
        }
    }

    @Test("while it forbids it no request goes out and nothing is lost; then all is sent, and others are heard")
    func gate() async throws {
        try await SyncWorld.run { world in
            let gate = Gate()
            let a = try world.device(automatic: true, [.syncConnectivity: gate])
            let b = try world.device()
            _ = try await a.addNote("kept")
            #expect(try await eventually { try await a.sync.status.state == .offline })
            let error = await #expect(throws: BackstitchError.self) { try await a.sync.sync(reason: "asked") }
            #expect(error?.code == .network && error?.message.contains("SyncConnectivity") == true)
            #expect(error?.message.contains("asked") == true)
            #expect(try await a.sync.status.pendingCount == 1)
            #expect(gate.asked.contains("asked") && gate.asked.contains(.storeAdded))
            #expect(await world.faults.requests == [])

            gate.open()
            a.sync.trigger(.networkState)
            #expect(try await eventually { try await a.sync.status.pendingCount == 0 })
            try await b.sync.sync()
            #expect(try await b.titles() == ["kept"])
            _ = try await b.addNote("from another")
            try await b.sync.sync()
            #expect(try await eventually { try await a.titles().count == 2 })
            #expect(gate.asked.contains(.push))
        }
    }

    @Test("a store that may not use the network is not emptied to be read again")
    func eraseLocal() async throws {
        try await SyncWorld.run { world in
            let open = try world.device("phone")
            _ = try await open.addNote("note")
            try await open.sync.sync()
            try open.close()
            let closed = try world.device("phone", [.syncConnectivity: Gate()])
            let error = await #expect(throws: BackstitchError.self) { try await closed.sync.eraseLocal() }
            #expect(error?.code == .network)
            #expect(try await closed.titles() == ["note"])
        }
    }

    @Test("one that is no SyncConnectivity is refused with the option's name")
    func wrongOption() async throws {
        try await SyncWorld.run { world in
            let error = #expect(throws: BackstitchError.self) {
                _ = try world.device(automatic: false, [.syncConnectivity: "only over Wi-Fi"])
            }
            #expect(error?.code == .invalidOption && error?.message.contains("syncConnectivity") == true)
        }
    }
}
