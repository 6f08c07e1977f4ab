import Foundation

/// Measures the memory of a process.
package enum ProcessMemory {
    /// The peak memory so far, in bytes, as the system counts it.
    package static func peak(of process: String = "self") throws -> Int {
        let status = try String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
        guard let kilobytes = line?.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap({ Int($0) }) else {
            throw BenchmarkError("the system does not tell how much memory was used")
        }
        return kilobytes * 1_024
    }
}
