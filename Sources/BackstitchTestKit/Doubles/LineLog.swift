package import BackstitchSupport
package import Logging

/// A log that keeps all lines of every level: level, message, and all metadata.
package struct LineLog: LogHandler {
    let lines: Locked<[String]>
    package var metadata: Logger.Metadata = [:]
    package var logLevel = Logger.Level.trace

    package init(lines: Locked<[String]>) { self.lines = lines }

    package subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    /// Keeps the line, with its metadata.
    package func log(event: LogEvent) {
        lines.withLock { $0.append("\(event.level): \(event.message) \(event.metadata ?? [:]) \(metadata)") }
    }
}
