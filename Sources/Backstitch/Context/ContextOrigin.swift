import Logging

/// The line of the program at which a context's work began. It helps to trace a use of objects after the end.
struct ContextOrigin: Sendable {
    /// The call that began the work, such as `perform`.
    let call: String
    let file: String
    let line: Int
    /// Logs uses after the end, once for each place.
    let lateUses: OnceLog

    /// The call with its place: `perform at App/Notes.swift:12`.
    var words: String { "\(call) at \(file):\(line)" }
}

extension ManagedObjectContext {
    /// Logs a use of an object after the end of its context's work, once for each place.
    func tellLateUse(_ error: any Error, at place: (file: String, line: Int)?) {
        let places = [place.map { "used at \($0.file):\($0.line)" }, origin.map { "work of \($0.words)" }]
        let words = places.compactMap { $0 }.joined(separator: ", ")
        (origin?.lateUses ?? OnceLog.current).tell(
            .warning,
            """
            an object was used after its context's work had ended\(words.isEmpty ? "" : " (\(words))"), and the use \
            had no effect; use objects inside perform's closure, and hand their objectIDs out
            """, metadata: ["error": "\(error)"])
    }

    func requireOpen() throws {
        guard isClosed else { return }
        throw BackstitchError(
            .invalidRequest,
            "the context's work\(origin.map { " (\($0.words))" } ?? "") has ended; objects and contexts are not used outside of "
                + "perform's closure: hand their objectIDs out, and look them up in another context")
    }
}
