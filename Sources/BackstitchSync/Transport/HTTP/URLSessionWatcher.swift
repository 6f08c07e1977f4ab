#if canImport(Darwin) || !AsyncHTTPClient || DEBUG
import BackstitchSupport
import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Hears of all requests of a session, and tells each of what happens to it.
///
/// It is the delegate of the session, since FoundationNetworking does not call those of tasks
/// (swift-corelibs-foundation #5187).
final class URLSessionWatcher: NSObject, URLSessionDataDelegate {
    private let exchanges = Locked<[Int: URLSessionExchange]>([:])
    private let trust: URLSessionTrust?

    init(trust: URLSessionTrust?) { self.trust = trust }

    /// Tells `exchange` of what happens to `task`, until that has ended.
    func watch(_ task: URLSessionTask, _ exchange: URLSessionExchange) {
        let identifier = task.taskIdentifier
        exchanges.withLock { $0[identifier] = exchange }
    }

    /// Tells no more of what happens to `task`, and returns whom it told.
    @discardableResult
    func forget(_ task: URLSessionTask) -> URLSessionExchange? {
        let identifier = task.taskIdentifier
        return exchanges.withLock { $0.removeValue(forKey: identifier) }
    }

    private func exchange(_ task: URLSessionTask) -> URLSessionExchange? {
        let identifier = task.taskIdentifier
        return exchanges.withLock { $0[identifier] }
    }

    /// Ends a request whose task has not.
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
        // The library stops the program when this question is answered and the task was cancelled meanwhile. So it is
        // not answered: the redirect is the answer, without its body, and the task ends here.
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
        // It asks when an answer of status 401 has come whole, waits for ever where nobody has credentials
        // (swift-corelibs-foundation #5456), and loses the answer where they are refused.
        end(task) { exchange in
            if let response = challenge.failureResponse { exchange.received(response) }
            return exchange.whole
        }
        #else
        guard challenge.protectionSpace.authenticationMethod == NSURLAuthenticationMethodServerTrust else {
            // Tokens are in the request; no other secret of the user is for the server.
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
