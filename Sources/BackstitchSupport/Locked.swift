#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// A value behind a lock, for the few places where threads of the program meet.
///
/// The lock is the system's own (`pthread_mutex_t`), because ThreadSanitizer knows it. `Synchronization.Mutex` waits by
/// a futex, which the sanitizer does not see, so it would report each use of the value as a race.
///
/// The type is public, though no product exports this module. The compiler inlines and specialises a method in other
/// modules only if the method is public.
public final class Locked<Value>: Sendable {
    // Only a thread that holds the lock may touch the value.
    @usableFromInline
    nonisolated(unsafe) var value: Value
    // Set once. The system's calls on it are safe from several threads.
    nonisolated(unsafe) private let mutex: UnsafeMutablePointer<pthread_mutex_t>

    /// Puts `value` behind a new lock.
    public init(_ value: sending Value) {
        self.value = value
        mutex = .allocate(capacity: 1)
        mutex.initialize(to: pthread_mutex_t())
        let status = pthread_mutex_init(mutex, nil)
        precondition(status == 0, "the system makes no lock (error \(status)): it is out of memory")
    }

    deinit {
        pthread_mutex_destroy(mutex)
        mutex.deallocate()
    }

    /// Runs `body` with the value, under the lock. Keep `body` short, and call no foreign code in it.
    @inlinable
    public func withLock<Result, Failure: Error>(
        _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        lock()
        defer { unlock() }
        return try body(&value)
    }

    @usableFromInline
    func lock() { pthread_mutex_lock(mutex) }

    @usableFromInline
    func unlock() { pthread_mutex_unlock(mutex) }
}

/// Shows nothing of the value: reading it would bypass the lock, and it may be a secret.
extension Locked: CustomReflectable {
    /// A mirror without children.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
