#if canImport(Darwin) || !AsyncHTTPClient || DEBUG
import Dispatch
import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A session of the process, with its running requests.
final class URLSessionConnections: Sendable {
    private let session: URLSession
    private let watcher: URLSessionWatcher
    // A call that creates, starts or cancels a task waits for the library's own queue, perhaps during a handshake with
    // a server. Callers do not wait for it.
    private let queue = DispatchQueue(label: "backstitch.http")

    /// - Parameter trust: The authorities that must sign certificates; nil for those of the system.
    init(trust: URLSessionTrust?) {
        watcher = URLSessionWatcher(trust: trust)
        // The callbacks run one after the other, in the order of an answer's pieces.
        let callbacks = OperationQueue()
        callbacks.maxConcurrentOperationCount = 1
        session = URLSession(configuration: Self.configuration, delegate: watcher, delegateQueue: callbacks)
    }

    private static var configuration: URLSessionConfiguration {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.urlCache = nil
        configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
        configuration.urlCredentialStorage = nil
        configuration.httpCookieStorage = nil
        configuration.httpCookieAcceptPolicy = .never
        configuration.httpShouldSetCookies = false
        // Each store holds one connection for its long poll.
        configuration.httpMaximumConnectionsPerHost = 256
        #if canImport(Darwin)
        configuration.tlsMinimumSupportedProtocolVersion = .TLSv12
        #endif
        return configuration
    }

    /// The time limit for a connection, in seconds. The library itself has no such limit.
    private static let patience = 10

    /// Sends a request for an exchange.
    func begin(_ exchange: URLSessionExchange, _ request: URLRequest) {
        queue.async { [self] in
            guard !exchange.hasEnded else { return }
            let task = session.dataTask(with: request)
            watcher.watch(task, exchange)
            guard exchange.begin(task) else { return abandon(task) }
            task.resume()
        }
        // Without a body nothing shows that a connection was made.
        guard !exchange.request.body.isEmpty else { return }
        queue.asyncAfter(deadline: .now() + .seconds(Self.patience)) { [weak self, weak exchange] in
            guard let self, let exchange, !exchange.isConnected else { return }
            end(exchange, .failure(TransportError(.unreachable, ConnectionProblem.unreachable)))
        }
    }

    /// Ends a request before its answer is there.
    func end(_ exchange: URLSessionExchange, _ outcome: URLSessionExchange.Outcome) {
        guard let task = exchange.end(outcome) else { return }
        queue.async { [self] in abandon(task) }
    }

    private func abandon(_ task: URLSessionTask) {
        watcher.forget(task)
        task.cancel()
    }
}
#endif
