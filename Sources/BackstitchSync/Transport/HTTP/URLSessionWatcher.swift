#if canImport(Darwin) || !AsyncHTTPClient || DEBUG
import BackstitchSupport
import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Receives the events of a session's requests, and passes each on to its exchange.
///
/// It is the delegate of the session, because FoundationNetworking does not call those of tasks
/// (swift-corelibs-foundation #5187).
final class URLSessionWatcher: NSObject, URLSessionDataDelegate {
    private let exchanges = Locked<[Int: URLSessionExchange]>([:])
    private let trust: URLSessionTrust?

    init(trust: URLSessionTrust?) { self.trust = trust }

    /// Passes the events of `task` on to `exchange` until the task has ended.
    func watch(_ task: URLSessionTask, _ exchange: URLSessionExchange) {
        let identifier = task.taskIdentifier
        exchanges.withLock { $0[identifier] = exchange }
    }

    /// Stops passing on the events of `task`, and returns its exchange.
    @discardableResult
    func forget(_ task: URLSessionTask) -> URLSessionExchange? {
        let identifier = task.taskIdentifier
        return exchanges.withLock { $0.removeValue(forKey: identifier) }
    }

    private func exchange(_ task: URLSessionTask) -> URLSessionExchange? {
        let identifier = task.taskIdentifier
        return exchanges.withLock { $0[identifier] }
    }

    /// Ends a request whose task is still running.
    private func end(_ task: URLSessionTask, _ outcome: (URLSessionExchange) -> URLSessionExchange.Outcome) {
        guard let exchange = forget(task) else { return }
        exchange.end(outcome(exchange))?.cancel()
    }

    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        exchange(dataTask)?.received(response)
        completionHandler(.allow)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        guard let exchange = exchange(dataTask), !exchange.received(data) else { return }
        end(dataTask) { .failure(ConnectionProblem.tooLarge($0.request)) }
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didSendBodyData bytesSent: Int64, totalBytesSent: Int64,
        totalBytesExpectedToSend: Int64
    ) {
        exchange(task)?.sent()
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        guard let exchange = forget(task) else { return }
        _ = exchange.end(
            error.map { .failure(URLSessionProblem.transportError(of: $0, exchange.request)) } ?? exchange.whole)
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        #if canImport(FoundationNetworking)
        // FoundationNetworking stops the program if this call is answered after the task was cancelled. So it is not
        // answered: the redirect is the answer, without its body, and the task ends here.
        end(task) {
            $0.received(response)
            return $0.whole
        }
        #else
        completionHandler(nil)
        #endif
    }

    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, willCacheResponse proposedResponse: CachedURLResponse,
        completionHandler: @escaping @Sendable (CachedURLResponse?) -> Void
    ) {
        completionHandler(nil)
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        #if canImport(FoundationNetworking)
        // FoundationNetworking asks after a complete answer with status 401. It waits for ever without credentials
        // (swift-corelibs-foundation #5456), and loses the answer if they are refused.
        end(task) { exchange in
            if let response = challenge.failureResponse { exchange.received(response) }
            return exchange.whole
        }
        #else
        guard challenge.protectionSpace.authenticationMethod == NSURLAuthenticationMethodServerTrust else {
            // The request has the tokens; the server gets no other secret of the user.
            return completionHandler(.rejectProtectionSpace, nil)
        }
        guard let trust, let server = challenge.protectionSpace.serverTrust else {
            return completionHandler(.performDefaultHandling, nil)
        }
        guard trust.accepts(server) else { return completionHandler(.cancelAuthenticationChallenge, nil) }
        completionHandler(.useCredential, URLCredential(trust: server))
        #endif
    }
}
#endif
