#if canImport(Darwin) || !AsyncHTTPClient || DEBUG
import BackstitchSupport
import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A request under way: takes the pieces of its answer, and ends once.
final class URLSessionExchange: Sendable {
    typealias Outcome = Result<TransportResponse, any Error>

    /// The one who asked.
    private enum Caller {
        case absent
        case waiting(CheckedContinuation<TransportResponse, any Error>)
        /// It ended before the caller came to wait.
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

    /// Whether there is an outcome.
    var hasEnded: Bool { state.withLock { $0.hasEnded } }

    /// Whether the server has taken something of the request, or it has ended.
    var isConnected: Bool { state.withLock { $0.isConnected || $0.hasEnded } }

    /// The caller waits for the outcome; it may be there.
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

    /// Returns whether `task` is to carry the request: false when it has ended already.
    func begin(_ task: URLSessionTask) -> Bool {
        state.withLock { state in
            guard !state.hasEnded else { return false }
            state.task = task
            return true
        }
    }

    /// Gives the caller the outcome, if there is none yet.
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
    /// Part of the body went out.
    func sent() { state.withLock { $0.isConnected = true } }

    /// The answer begins. It may be told twice.
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

    /// Part of the answer's body has come.
    ///
    /// - Returns: Whether all of it is accepted. Nothing is kept of a part that is too much.
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

    /// The outcome when the library says that the answer is whole.
    var whole: Outcome {
        let answer = state.withLock { state in
            defer { state.answer = nil }
            return state.answer
        }
        return answer.map { .success($0) } ?? .failure(TransportError(.unreachable, ConnectionProblem.notHTTP))
    }
}
#endif
