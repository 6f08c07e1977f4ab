import Backstitch

/// Decides whether a synced store may use the network now. A program may know that the server cannot be reached, or its
/// user may not want to use mobile data. The option ``Backstitch/StoreOption/syncConnectivity`` sets it; without it,
/// the store simply tries. ``NetworkMonitor`` is a ready-made one.
///
/// ```swift
/// struct OnlyOverWiFi: SyncConnectivity {
///     let network: WiFiWatch  // of the program
///
///     func maySync(for reason: SyncReason) async -> Bool {
///         if case .manual = reason { return true }  // the user pulled to refresh
///         return await network.isOnWiFi
///     }
/// }
/// ```
/// The store asks before each cycle and before each wait for notifications. After a refusal its state is
/// ``SyncStatus/State/offline``, and changes wait. A store that syncs automatically asks again after pauses of up to 30
/// seconds, without a request to the server. It asks at once when ``connectivityChanges`` has an element, or when
/// ``SyncController/trigger(_:)`` is called with ``SyncReason/networkState``. ``SyncController/sync(reason:)`` asks
/// with the caller's reason while the caller waits; later tries of the store have their own reasons.
///
/// A call for one thing, such as one asset, is made without asking. So is a request of a cycle that has begun. For
/// several assets (``SyncAssets/download(_:reason:onProgress:)``) the store asks before each.
public protocol SyncConnectivity: Sendable {
    /// Returns whether a cycle may begin. It should be quick, because the cycle and its callers wait for it.
    ///
    /// - Parameter reason: The reason for the cycle; ``SyncReason/push`` before a wait for notifications.
    func maySync(for reason: SyncReason) async -> Bool

    /// Has an element each time that the answer may have changed. A store that syncs automatically then begins a cycle
    /// at once, and so asks again. Each store asks for its own sequence, and releases it when it is closed. The default
    /// has no elements.
    var connectivityChanges: AsyncStream<Void> { get }
}

extension SyncConnectivity {
    /// Has no elements: the store asks again after its own pauses.
    public var connectivityChanges: AsyncStream<Void> { AsyncStream { $0.finish() } }
}
