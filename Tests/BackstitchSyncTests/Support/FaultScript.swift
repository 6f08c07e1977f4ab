import BackstitchServer
import BackstitchSupport
import Testing

/// Decides about the faults of requests.
actor FaultScript {
    typealias Decision = @Sendable (FaultInjector.Request) async -> FaultInjector.Fault?

    private var decision: Decision?
    private(set) var requests: [String] = []

    func set(_ decision: Decision?) { self.decision = decision }

    func clear() {
        decision = nil
        requests = []
    }

    /// Lets the server carry out the next request of that kind, and cuts all connections from then on.
    func breakDown(at endpoint: String) {
        let isDown = Locked(false)
        decision = { request in
            isDown.withLock { isDown in
                if isDown { return .dropConnection }
                isDown = request.endpoint == endpoint
                return isDown ? .dropResponse : nil
            }
        }
    }

    /// Cuts all connections from a request on, counted from 0 among all requests from now on, or those of a kind.
    ///
    /// - Parameter losesAnswer: Whether the server carries out that request.
    func breakDown(from number: Int, endpoint: String? = nil, losesAnswer: Bool) {
        let made = Locked(0)
        decision = { request in
            made.withLock { made in
                if made > number { return .dropConnection }
                guard endpoint == nil || request.endpoint == endpoint else { return nil }
                made += 1
                guard made > number else { return nil }
                return losesAnswer ? .dropResponse : .dropConnection
            }
        }
    }

    /// Cuts the connection at each request about assets after the first `count` from now on.
    func cutAssets(after count: Int) {
        let made = Locked(0)
        decision = { request in
            guard request.endpoint.contains("asset") else { return nil }
            return made.withLock { made in
                made += 1
                return made > count ? .dropConnection : nil
            }
        }
    }

    /// Does something before the server gets the request number `number` (from 0) of a kind, counted from now on.
    /// Requests made by this work count too.
    func interrupt(
        _ number: Int, of endpoint: String, sourceLocation: SourceLocation = #_sourceLocation,
        _ work: @escaping @Sendable () async throws -> Void
    ) {
        let counter = Locked(0)
        requests = []
        decision = { request in
            guard request.endpoint == endpoint else { return nil }
            let now = counter.withLock { count in
                defer { count += 1 }
                return count
            }
            guard now == number else { return nil }
            do { try await work() } catch { Issue.record(error, sourceLocation: sourceLocation) }
            return nil
        }
    }

    /// Does something before the server gets the request number `number` (from 0), counted from now on.
    func interruptAny(
        _ number: Int, sourceLocation: SourceLocation = #_sourceLocation,
        _ work: @escaping @Sendable () async throws -> Void
    ) {
        let counter = Locked(0)
        requests = []
        decision = { _ in
            let now = counter.withLock { count in
                defer { count += 1 }
                return count
            }
            guard now == number else { return nil }
            do { try await work() } catch { Issue.record(error, sourceLocation: sourceLocation) }
            return nil
        }
    }

    func decide(_ request: FaultInjector.Request) async -> FaultInjector.Fault? {
        requests.append(request.endpoint)
        return await decision?(request)
    }

    /// Lets `fault` happen to the request number `number` (from 0), counted from now on.
    func fail(_ number: Int, _ fault: FaultInjector.Fault, endpoint: String? = nil) {
        let counter = Locked(0)
        requests = []
        decision = { request in
            guard endpoint == nil || request.endpoint == endpoint else { return nil }
            let now = counter.withLock { count in
                defer { count += 1 }
                return count
            }
            return now == number ? fault : nil
        }
    }
}
