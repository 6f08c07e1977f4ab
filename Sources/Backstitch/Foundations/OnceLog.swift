import BackstitchSupport
package import Logging

/// A log that says each thing once, however often it happens: for what is probably a mistake and may be meant.
package final class OnceLog: Sendable {
    /// The one in use; tests put their own in its place.
    @TaskLocal package static var current = OnceLog(Logger(label: "backstitch"))

    private let logger: Logger
    private let told = Locked<Set<String>>([])

    /// A log that has said nothing yet.
    package init(_ logger: Logger) { self.logger = logger }

    /// Says `message`, unless it was said before, with whatever metadata.
    package func tell(_ level: Logger.Level, _ message: String, metadata: Logger.Metadata? = nil) {
        guard told.withLock({ $0.insert(message).inserted }) else { return }
        logger.log(level: level, "\(message)", metadata: metadata)
    }
}
