import BackstitchServer
import BackstitchSupport
import TestSupport

/// Keeps bytes of assets from getting through to the server, until it is opened.
final class AssetDam: Sendable {
    private struct State: Sendable {
        var isOpen = false
        var fault: FaultInjector.Fault?
        var held = 0
    }

    private let state = Locked(State())

    /// How many requests have been held.
    var held: Int { state.withLock(\.held) }

    /// The fault of a request: none, as soon as the dam is open.
    func pass(_ request: FaultInjector.Request) async -> FaultInjector.Fault? {
        guard request.endpoint == "assets bytes" else { return nil }
        state.withLock { if !$0.isOpen { $0.held += 1 } }
        while !state.withLock(\.isOpen) { try? await Task.sleep(for: .milliseconds(5)) }
        return state.withLock(\.fault)
    }

    /// Lets all requests go on.
    ///
    /// - Parameter fault: The fault that befalls each of them from now on.
    func open(_ fault: FaultInjector.Fault? = nil) {
        state.withLock { ($0.isOpen, $0.fault) = (true, fault) }
    }

    /// Returns when requests are held.
    func fills(_ count: Int = 1) async throws {
        guard try await eventually({ held >= count }) else { throw TestFailure("\(held) requests are held") }
    }
}
