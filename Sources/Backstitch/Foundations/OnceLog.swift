import BackstitchSupport
package import Logging

/// A log that reports each message once. It is for probable mistakes that may also be intended.
package final class OnceLog: Sendable {
    /// The log in use; tests replace it by their own.
    @TaskLocal package static var current = OnceLog(Logger(label: "backstitch"))

    private let logger: Logger
    private let told = Locked<Set<String>>([])

    /// Makes a log without any message yet.
    package init(_ logger: Logger) { self.logger = logger }

    /// Logs `message` with its metadata, unless the same message was logged before.
    package func tell(_ level: Logger.Level, _ message: String, metadata: Logger.Metadata? = nil) {
        guard told.withLock({ $0.insert(message).inserted }) else { return }
        logger.log(level: level, "\(message)", metadata: metadata)
    }
}
