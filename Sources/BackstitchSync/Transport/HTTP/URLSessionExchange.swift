#if canImport(Darwin) || !AsyncHTTPClient || DEBUG
import BackstitchSupport
import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A running request: it receives the pieces of its answer, and ends once.
final class URLSessionExchange: Sendable {
    typealias Outcome = Result<TransportResponse, any Error>

    /// The state of the caller who waits for the answer.
    private enum Caller {
        case absent
        case waiting(CheckedContinuation<TransportResponse, any Error>)
        /// The request ended before the caller began to wait.
        case missed(Outcome)
        case answered
    }

    private struct State {
        var caller = Caller.absent
        var task: URLSessionTask?
        var answer: TransportResponse?
        var isConnected = false

        var hasEnded: Bool {
            switch caller {
            case .absent, .waiting: false
            case .missed, .answered: true
            }
        }
    }

    let request: TransportRequest
    private let state = Locked(State())

    init(_ request: TransportRequest) { self.request = request }

    /// Whether the request has a result.
    var hasEnded: Bool { state.withLock { $0.hasEnded } }

    /// Whether the server has received a part of the request, or it has ended.
    var isConnected: Bool { state.withLock { $0.isConnected || $0.hasEnded } }

    /// Makes the caller wait for the result, which may already be there.
    func wait(_ continuation: CheckedContinuation<TransportResponse, any Error>) {
        let outcome = state.withLock { state -> Outcome? in
            guard case .missed(let outcome) = state.caller else {
                state.caller = .waiting(continuation)
                return nil
            }
            state.caller = .answered
            return outcome
        }
        if let outcome { continuation.resume(with: outcome) }
    }

    /// Returns whether `task` may carry the request: false if it has already ended.
    func begin(_ task: URLSessionTask) -> Bool {
        state.withLock { state in
            guard !state.hasEnded else { return false }
            state.task = task
            return true
        }
    }

    /// Gives the result to the caller, if there is none yet.
    ///
    /// - Returns: The task that has carried the request until now.
    func end(_ outcome: Outcome) -> URLSessionTask? {
        var waiting: CheckedContinuation<TransportResponse, any Error>?
        let task = state.withLock { state -> URLSessionTask? in
            switch state.caller {
            case .absent: state.caller = .missed(outcome)
            case .waiting(let continuation):
                waiting = continuation
                state.caller = .answered
            case .missed, .answered: return nil
            }
            state.answer = nil
            defer { state.task = nil }
            return state.task
        }
        waiting?.resume(with: outcome)
        return task
    }
}

// MARK: - The answer

extension URLSessionExchange {
    /// Records that a part of the body was sent.
    func sent() { state.withLock { $0.isConnected = true } }

    /// Begins the answer. It may be called twice.
    func received(_ response: URLResponse) {
        guard let response = response as? HTTPURLResponse else { return }
        let headers = response.allHeaderFields.compactMap { name, value in
            (name as? String).map { (name: $0, value: "\(value)") }
        }
        let announced = min(max(Int(response.expectedContentLength), 0), request.maximumResponse)
        state.withLock { state in
            state.isConnected = true
            guard state.answer?.body.isEmpty != false, !state.hasEnded else { return }
            var answer = TransportResponse(status: response.statusCode, headers: headers)
            answer.body.reserveCapacity(announced)
            state.answer = answer
        }
    }

    /// Adds a part of the answer's body.
    ///
    /// - Returns: Whether all of it is accepted. A part that exceeds the limit is not added.
    func received(_ data: Data) -> Bool {
        let count = state.withLock { state -> Int? in
            guard let count = state.answer?.body.count else { return 0 }
            guard count + data.count <= request.maximumResponse else { return nil }
            data.withUnsafeBytes { state.answer?.body.append(contentsOf: $0) }
            return count + data.count
        }
        guard let count else { return false }
        if count > 0 { request.onReceive?(count) }
        return true
    }

    /// The result when the library reports a complete answer.
    var whole: Outcome {
        let answer = state.withLock { state in
            defer { state.answer = nil }
            return state.answer
        }
        return answer.map { .success($0) } ?? .failure(TransportError(.unreachable, ConnectionProblem.notHTTP))
    }
}
#endif
