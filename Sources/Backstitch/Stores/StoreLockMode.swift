/// How a lock is held.
public enum StoreLockMode: Sendable {
    /// Beside others who share it.
    case shared
    /// Alone.
    case exclusive
}
