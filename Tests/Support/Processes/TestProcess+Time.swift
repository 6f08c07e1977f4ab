import BackstitchTestKit

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

extension TestProcess {
    #if os(Linux)
    /// The time that processors have worked for the process so far.
    package func processorTime() throws -> Duration {
        var clock = clockid_t()
        guard clock_getcpuclockid(pid_t(identifier), &clock) == 0 else {
            throw TestFailure("there is no clock of the process \(identifier)")
        }
        var time = timespec()
        guard clock_gettime(clock, &time) == 0 else { throw TestFailure("no time of the process \(identifier)") }
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }
    #endif
}
