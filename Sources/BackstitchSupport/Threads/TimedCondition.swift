package import Dispatch

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#elseif canImport(Android)
import Android
#else
import Glibc
#endif

/// A lock with a condition: a thread waits on it until another thread wakes it, or until a time.
///
/// It measures time by the monotonic clock. On Linux `NSCondition.wait(until:)` and `DispatchSemaphore.wait(timeout:)`
/// use the wall clock: if that is put back an hour, they wait an hour longer.
package final class TimedCondition: Sendable {
    // The pointers never change. The C library guards the memory behind them.
    nonisolated(unsafe) private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    nonisolated(unsafe) private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)

    package init() {
        pthread_mutex_init(mutex, nil)
        #if canImport(Darwin)
        pthread_cond_init(condition, nil)
        #else
        var attributes = pthread_condattr_t()
        pthread_condattr_init(&attributes)
        // `DispatchTime` uses the same clock.
        pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
        pthread_cond_init(condition, &attributes)
        pthread_condattr_destroy(&attributes)
        #endif
    }

    deinit {
        pthread_cond_destroy(condition)
        pthread_mutex_destroy(mutex)
        condition.deallocate()
        mutex.deallocate()
    }

    package func lock() { pthread_mutex_lock(mutex) }

    package func unlock() { pthread_mutex_unlock(mutex) }

    /// Wakes one waiting thread.
    package func signal() { pthread_cond_signal(condition) }

    /// Wakes all waiting threads.
    package func broadcast() { pthread_cond_broadcast(condition) }

    /// Releases the lock, waits for a wake-up or a time, and takes the lock again. The caller must hold the lock. It
    /// may return without a wake-up.
    ///
    /// - Parameter limit: The latest time; nil waits without a limit.
    /// - Returns: false if the time has passed.
    package func wait(until limit: DispatchTime? = nil) -> Bool {
        guard let limit else { return pthread_cond_wait(condition, mutex) == 0 }
        #if canImport(Darwin)
        let now = DispatchTime.now().uptimeNanoseconds
        var time = Self.time(limit.uptimeNanoseconds - min(now, limit.uptimeNanoseconds))
        return pthread_cond_timedwait_relative_np(condition, mutex, &time) == 0
        #else
        var time = Self.time(limit.uptimeNanoseconds)
        return pthread_cond_timedwait(condition, mutex, &time) == 0
        #endif
    }

    private static func time(_ nanoseconds: UInt64) -> timespec {
        timespec(tv_sec: Int(nanoseconds / 1_000_000_000), tv_nsec: Int(nanoseconds % 1_000_000_000))
    }
}
