#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// A value behind a lock, for the few places where threads of the program meet.
///
/// The lock is the system's own (`pthread_mutex_t`), which ThreadSanitizer knows: `Synchronization.Mutex` waits by a
/// futex that the sanitizer does not see, so that it takes each use of the value for a race.
///
/// Public, though no product shows this module: the compiler takes the body of a method into other modules, and makes
/// it anew for their types, only where the method is public.
public final class Locked<Value>: Sendable {
    // Only a thread that holds the lock touches the value.
    @usableFromInline
    nonisolated(unsafe) var value: Value
    // Set once; the system's calls are made for threads that meet there.
    nonisolated(unsafe) private let mutex: UnsafeMutablePointer<pthread_mutex_t>

    /// A lock over `value`.
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

    /// Runs `body` with the value, alone. Keep it short and call nothing foreign inside.
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

/// Shows nothing of the value: that would be read without the lock, and may be a secret.
extension Locked: CustomReflectable {
    /// Nothing.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
