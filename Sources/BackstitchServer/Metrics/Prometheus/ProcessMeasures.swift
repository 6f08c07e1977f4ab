import Foundation

/// Memory, threads and descriptors of the process, under the names of Prometheus' own libraries. Without `/proc` there
/// are none.
enum ProcessMeasures {
    /// The measures in the text format. Blocks while it reads them from the system.
    static func text() -> String {
        var text = ""
        func write(_ name: String, _ kind: PrometheusKind, _ help: String, _ value: Double?) {
            guard let value else { return }
            text.writePrometheusHead(name, kind, help: help)
            text.writePrometheusSample(name, "", PrometheusName.number(value))
        }
        let status = content("/proc/self/status")
        write(
            "process_resident_memory_bytes", .gauge, "Memory of the process that is resident in the machine's memory.",
            field("VmRSS:", in: status).map { $0 * 1024 })
        write(
            "process_virtual_memory_bytes", .gauge, "Memory that the process has asked for.",
            field("VmSize:", in: status).map { $0 * 1024 })
        write("process_threads", .gauge, "Threads of the process.", field("Threads:", in: status))
        write("process_open_fds", .gauge, "Files and connections that are open.", openDescriptors.map(Double.init))
        write(
            "process_max_fds", .gauge, "Files and connections that may be open.",
            field("Max open files", in: content("/proc/self/limits")))
        return text
    }

    private static var openDescriptors: Int? {
        // One of them belongs to the listing itself.
        (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")).map { $0.count - 1 }
    }

    private static func content(_ path: String) -> Substring {
        // Only Linux has these files; elsewhere there is nothing to show.
        guard let text = try? String(contentsOfFile: path, encoding: .utf8) else { return "" }
        return text[...]
    }

    /// The first number in the line with this beginning.
    private static func field(_ name: String, in text: Substring) -> Double? {
        text.split(separator: "\n").first { $0.hasPrefix(name) }?
            .dropFirst(name.count).split(whereSeparator: \.isWhitespace).first.flatMap { Double($0) }
    }
}
