import Backstitch

/// Says whether a synced store may use the network now: where a program knows that nobody can be reached, or its user
/// wants nothing to travel by mobile data. Given by the option ``Backstitch/StoreOption/syncConnectivity``; unless
/// given, the store tries, and finds out. A ``NetworkMonitor`` is one that is ready-made.
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
/// The store asks before each cycle and before each wait for notifications. After a no its state is
/// ``SyncStatus/State/offline`` and changes wait; where it syncs by itself it asks again after pauses of up to 30
/// seconds, without a request to the server, and at once when ``connectivityChanges`` has an element or
/// ``SyncController/trigger(_:)`` is called with ``SyncReason/networkState``. ``SyncController/sync(reason:)`` asks
/// with the reason of its caller, as long as that one waits; tries that the store makes later have reasons of their
/// own.
///
/// Calls that ask for one thing, as that for one asset does, are made whatever it says, and so is a request of a cycle
/// that has begun; of several assets (``SyncController/downloadAssets(_:reason:onProgress:)``) it is asked for each.
public protocol SyncConnectivity: Sendable {
    /// Returns whether a cycle may begin. It should not take long: the cycle waits for it, and so do its callers.
    ///
    /// - Parameter reason: Why it would; ``SyncReason/push`` before a wait for notifications.
    func maySync(for reason: SyncReason) async -> Bool

    /// An element each time that the answer may have become another one: a store that syncs by itself then begins a
    /// cycle, and so asks, at once. Each store asks for a sequence of its own, and lets go of it when it is closed.
    /// Unless given, one without elements.
    var connectivityChanges: AsyncStream<Void> { get }
}

extension SyncConnectivity {
    /// No elements: the store asks again when it is time.
    public var connectivityChanges: AsyncStream<Void> { AsyncStream { $0.finish() } }
}
