import Backstitch
import BackstitchSupport
import BackstitchTestKit
import Foundation
import TestSupport
import Testing

@testable import BackstitchSync

@Suite("a monitor of the network", .timeLimit(.minutes(1)))
struct NetworkMonitorTests {
    @Test("tells the path at once, and each change of it to every listener, in order and once")
    func order() async throws {
        let network = ScriptedNetwork(.unavailable)
        let monitor = network.monitor
        var first = monitor.paths.makeAsyncIterator()
        #expect(await first.next() == NetworkPath(.unavailable))
        var second = monitor.paths.makeAsyncIterator()
        #expect(await second.next() == NetworkPath(.unavailable))
        let mobile = NetworkPath(.available, isExpensive: true)
        for path in [NetworkPath(.unavailable), mobile, mobile, NetworkPath(.available), NetworkPath(.unknown)] {
            network.set(path)
        }
        for path in [mobile, NetworkPath(.available), NetworkPath(.unknown)] {
            #expect(await first.next() == path)
            #expect(await second.next() == path)
        }
        #expect(await monitor.currentPath == NetworkPath(.unknown))
        #expect(network.made == 1)
    }

    @Test("watches from the first listener to the last, and begins anew with the next")
    func life() async throws {
        let network = ScriptedNetwork(.available)
        let monitor = network.monitor
        #expect(network.watching == 0)
        let listeners = (0..<3).map { _ in
            Task { for await _ in monitor.paths where Task.isCancelled { break } }
        }
        #expect(try await eventually { network.watching == 1 })
        for listener in listeners { listener.cancel() }
        #expect(try await eventually { network.watching == 0 })
        #expect(network.made == 1)
        network.set(.unavailable)
        var paths = monitor.paths.makeAsyncIterator()
        // It reports neither the earlier path nor late news of an ended watch.
        #expect(await paths.next() == NetworkPath(.unavailable))
        network.tellLate(.available)
        network.set(.unknown)
        #expect(await paths.next() == NetworkPath(.unknown))
        #expect(network.made == 2 && network.watching == 1)
    }

    @Test("a sequence keeps its monitor; one that nobody reads holds nothing")
    func owners() async throws {
        let network = ScriptedNetwork(.available)
        do {
            let paths = ScriptedNetwork.monitorPaths(of: network)
            #expect(network.watching == 1)
            for await path in paths {
                #expect(path == NetworkPath(.available))
                break
            }
        }
        #expect(try await eventually { network.watching == 0 })
        _ = network.monitor.paths
        #expect(network.watching == 0)
        #expect(await network.monitor.currentPath == NetworkPath(.available))
        #expect(network.watching == 0 && network.made == 3)
    }

    @Test("changes are told without the path that is known, as one for those that nobody has heard")
    func changes() async throws {
        let network = ScriptedNetwork(.available)
        let monitor = network.monitor
        var paths = monitor.paths.makeAsyncIterator()
        _ = await paths.next()
        let heard = Locked(0)
        let changes = monitor.connectivityChanges
        let listener = Task { for await _ in changes { heard.withLock { $0 += 1 } } }
        for count in 1...3 {
            network.set(count % 2 == 0 ? .available : .unavailable)
            #expect(try await eventually { heard.withLock { $0 } == count })
        }
        listener.cancel()
    }

    @Test("no network is a no, but to callers who wait; one that is not told about is a yes")
    func connectivity() async {
        let reasons: [SyncReason] = [.storeAdded, .push, .networkState, .localSave, .timer, "asked"]
        for (status, expected) in [
            (NetworkPath.Status.available, Array(repeating: true, count: 6)),
            (.unknown, Array(repeating: true, count: 6)), (.unavailable, Array(repeating: false, count: 5) + [true]),
        ] {
            let monitor = ScriptedNetwork(status).monitor
            let gate = NetworkGate(monitor, clock: VirtualClock())
            for (reason, answer) in zip(reasons, expected) {
                #expect(await monitor.maySync(for: reason) == answer, "\(status) \(reason)")
                #expect(await gate.maySync(for: reason) == answer, "\(status) \(reason)")
            }
        }
    }

    @Test("a monitor that is wrong does not stop a store for ever: it tries in one minute of ten")
    func patience() async {
        let network = ScriptedNetwork(.unavailable)
        let clock = VirtualClock()
        let gate = NetworkGate(network.monitor, clock: clock)
        var tried: [Int] = []
        // As often as a store asks that waits.
        for second in stride(from: 0, to: 1_800, by: 30) {
            if await gate.maySync(for: .timer) { tried.append(second) }
            clock.advance(by: 30_000)
        }
        #expect(tried == [540, 570, 1_140, 1_170, 1_740, 1_770])
        network.set(.available)
        #expect(await gate.maySync(for: .timer))
        // A network that was lost again has the whole time again. A change of the wall clock has no effect.
        network.set(.unavailable)
        tried = []
        for second in stride(from: 0, to: 1_800, by: 30) {
            if await gate.maySync(for: .timer) { tried.append(second) }
            clock.advance(by: 30_000)
            clock.jump(by: second % 60 == 0 ? -3_600_000 : 86_400_000)
        }
        #expect(tried == [540, 570, 1_140, 1_170, 1_740, 1_770])
    }

    @Test(
        "the machine itself is known by its addresses",
        arguments: [
            ("http://localhost:8080", true), ("http://LOCALHOST/", true), ("http://zones.localhost", true),
            ("http://127.0.0.1:1", true), ("http://127.3.2.1", true), ("http://[::1]:8080/x", true),
            ("https://example.org", false), ("http://127.0.0.1.example.org", false), ("http://notlocalhost", false),
            ("http://10.0.0.1", false), ("http://[2001:db8::1]", false), ("http://0.0.0.0:80", false),
        ])
    func loopback(_ address: String, _ isLoopback: Bool) throws {
        #expect(try #require(URL(string: address)).isLoopback == isLoopback)
    }
}

extension ScriptedNetwork {
    /// The paths of a monitor without another owner.
    fileprivate static func monitorPaths(of network: ScriptedNetwork) -> AsyncStream<NetworkPath> {
        network.monitor.paths
    }
}
