import Backstitch

/// The action to take after a ``SyncReset``.
public enum SyncResetAction: String, Sendable, Hashable, CaseIterable {
    /// All objects here stay, and are sent to the server: into the new zone, or to the new user's zone.
    case keep
    /// All objects here are removed, including unsent changes. The server's objects replace them.
    case wipe
    /// Nothing changes, and sync stops until ``SyncController/resume()`` or ``SyncController/resume(taking:)``. After a
    /// sign-out it waits for the next sign-in anyway.
    case stop
}
