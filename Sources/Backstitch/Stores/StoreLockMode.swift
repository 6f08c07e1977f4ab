/// The mode of a held lock.
public enum StoreLockMode: Sendable {
    /// Several holders share the lock.
    case shared
    /// One holder has the lock alone.
    case exclusive
}
