import Backstitch
import BackstitchServer
import BackstitchSupport
import BackstitchSync
import BackstitchTestKit
import Testing

extension Scenario {
    /// A fault of the network.
    enum Fault: Sendable {
        /// Nothing gets through.
        case offline
        /// Changes do not arrive; everything else gets through.
        case cut
        /// The server carries out the request, and its answer is lost. From then on nothing passes.
        case lostAnswer
    }

    /// Gives the network a fault from now on; nil takes it away.
    func network(_ fault: Fault?) async {
        switch fault {
        case .offline: await faults.set { _ in .dropConnection }
        case .cut: await faults.set { $0.endpoint == "records/modify" ? .dropConnection : nil }
        case .lostAnswer: await faults.breakDown(at: "records/modify")
        case nil: await faults.clear()
        }
    }

    /// Syncs a device while the network has a fault, and expects that it says so.
    func sync(_ device: SyncDevice, _ fault: Fault, sourceLocation: SourceLocation = #_sourceLocation) async {
        await network(fault)
        let error = await #expect(throws: BackstitchError.self, sourceLocation: sourceLocation) {
            try await device.sync.sync()
        }
        #expect(error?.code == .network, sourceLocation: sourceLocation)
        await network(nil)
    }

    /// Does something when the next push has left its device, before the server takes it.
    func atNextPush(_ body: @escaping @Sendable () async throws -> Void) async { await faults.atNextPush(body) }

    /// Another client of a zone.
    func zone(_ name: String = "Backstitch") throws -> WireView {
        try WireView(ScenarioStore.address, transport: server, zone: name)
    }
}

extension FaultScript {
    /// Does something when the next push has left its device, before the server takes it.
    func atNextPush(_ body: @escaping @Sendable () async throws -> Void) {
        set { request in
            guard request.endpoint == "records/modify" else { return nil }
            await self.set(nil)
            do { try await body() } catch { Issue.record(error) }
            return nil
        }
    }

    /// Lets some of the requests that follow go wrong: of ten fewer than `most`.
    func failAtRandom(_ most: Int, _ seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let rate = Int.random(in: 0..<most, using: &random)
        let generator = Locked(random)
        set { _ in
            generator.withLock { random in
                guard Int.random(in: 0..<10, using: &random) < rate else { return nil }
                return Bool.random(using: &random) ? .dropConnection : .dropResponse
            }
        }
    }
}
