import BackstitchSupport
import BackstitchTestKit
import Dispatch
import Testing

@Suite("a gate of requests")
struct RequestGateTests {
    private struct Closed: Error {}

    @Test("closing waits for the request inside, however long that takes, and later ones are refused")
    func closing() async throws {
        let gate = RequestGate()
        let isInside = DispatchSemaphore(value: 0), mayLeave = DispatchSemaphore(value: 0)
        async let inside: Void = onThread {
            try gate.pass(orThrow: Closed()) {
                isInside.signal()
                mayLeave.wait()
            }
        }
        try await onThread { isInside.wait() }
        async let wasOpen = onThread { gate.close() }
        // The closing call is at the gate by now: no new call is let in.
        while (try? gate.pass(orThrow: Closed()) {}) != nil { await Task.yield() }
        #expect(try await onThread { gate.close(waiting: 0.01) } == false)
        mayLeave.signal()
        try await inside
        #expect(try await wasOpen)
        #expect(throws: Closed.self) { try gate.pass(orThrow: Closed()) {} }
    }
}
