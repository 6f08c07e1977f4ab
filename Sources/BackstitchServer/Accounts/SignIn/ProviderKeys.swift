#if TLS
import Backstitch
import JWTKit
import Logging

/// Keeps the keys of a provider. It asks for them again when they expire, or when a token names an unknown key.
///
/// One request for the keys runs at a time, and all callers wait for it. Anyone can make up names of unknown keys, so
/// these cause at most one request a minute. A silent provider is asked every five seconds at most. Meanwhile the last
/// keys stay in use, for a day.
actor ProviderKeys {
    /// Milliseconds between requests caused by unknown keys.
    static let unknownKeyPause: Int64 = 60_000
    /// Milliseconds between a failure and the next attempt.
    static let failurePause: Int64 = 5_000
    /// How long old keys stay in use while the provider does not answer, in milliseconds.
    static let oldKeysLife: Int64 = 86_400_000

    /// Keys, with the uptime of the request for them and the uptime of their expiry.
    private struct Kept {
        var keys: ProviderKeySet
        var read: Int64
        var fresh: Int64
    }

    private struct Failure {
        var fault: ProviderFault
        var time: Int64
    }

    private let provider: SignInProvider
    private let clock: any WallClock
    private let logger: Logger
    private let fetch: @Sendable () async throws(ProviderFault) -> (ProviderKeySet, DocumentLife)
    private var kept: Kept?
    private var failure: Failure?
    private var running: Task<Void, Never>?

    init(_ provider: SignInProvider, clock: any WallClock, logger: Logger) {
        self.provider = provider
        self.clock = clock
        self.logger = logger
        let documents = ProviderDocuments(provider: provider)
        fetch = { () async throws(ProviderFault) in try await documents.keys() }
    }

    /// The verifiers for a token's header; none for a key unknown to the provider.
    ///
    /// - Throws: ``ProviderFault`` if there are no keys, and none can be read.
    func verifiers(for header: IDToken.Header) async throws(ProviderFault) -> [any JWTAlgorithm] {
        if clock.uptime() >= kept?.fresh ?? .min { await refresh() }
        var keys = try current()
        let found = keys.verifiers(header.keyID, header.algorithm)
        if !found.isEmpty { return found }
        if let kept, clock.uptime() < kept.read + Self.unknownKeyPause { return [] }
        await refresh()
        keys = try current()
        return keys.verifiers(header.keyID, header.algorithm)
    }

    /// The last keys, unless the provider has been silent for too long.
    private func current() throws(ProviderFault) -> ProviderKeySet {
        if let kept, clock.uptime() < kept.fresh + Self.oldKeysLife { return kept.keys }
        throw failure?.fault ?? ProviderFault("they were not read yet")
    }

    /// Asks for the keys, or waits for a request under way. Does nothing shortly after a failure.
    private func refresh() async {
        if let running { return await running.value }
        if let failure, clock.uptime() < failure.time + Self.failurePause { return }
        // The task is independent: a caller that disconnects does not take the answer from the others.
        let task = Task { await self.read() }
        running = task
        await task.value
    }

    private func read() async {
        let begun = clock.uptime()
        do throws(ProviderFault) {
            let (keys, life) = try await fetch()
            if failure != nil {
                logger.info("the keys of a sign-in provider can be fetched again", metadata: metadata())
            }
            kept = Kept(keys: keys, read: begun, fresh: clock.uptime() + life.seconds * 1_000)
            failure = nil
        } catch {
            logger.warning(
                "the keys of a sign-in provider cannot be fetched: \(error.reason)",
                metadata: metadata(["old": "\(kept != nil)"]))
            failure = Failure(fault: error, time: clock.uptime())
        }
        running = nil
    }

    private func metadata(_ more: Logger.Metadata = [:]) -> Logger.Metadata {
        ["issuer": "\(provider.issuer)"].merging(more) { $1 }
    }
}
#endif
