import Logging

// Errors that a property could not throw.
extension ManagedObjectContext {
    /// Runs `body`; an error that it throws is kept for the next fetch, count or save, and `fallback` returned.
    ///
    /// - Parameter reader: The object of which a property was read; nil when something was to be changed. An error in
    ///   reading fails no save of other objects.
    func reporting<Result>(
        _ fallback: @autoclosure () -> Result, reading reader: ManagedObject? = nil,
        at place: (file: String, line: Int)? = nil, _ body: () throws -> Result
    ) -> Result {
        do { return try body() } catch {
            keep(error, reading: reader, at: place)
            return fallback()
        }
    }

    /// Before each request: the context is open, nothing waits to be thrown, and others' changes are merged.
    func prepareRequest(isSave: Bool = false) throws {
        try requireOpen()
        try throwDeferredError(isSave: isSave)
        followParent()
    }

    /// Keeps an error for the next fetch, count or save.
    ///
    /// - Parameter place: The line of the program that it comes from, where that is known.
    func keep(_ error: any Error, reading reader: ManagedObject? = nil, at place: (file: String, line: Int)? = nil) {
        guard !isClosed else { return tellLateUse(error, at: place) }
        let located =
            (error as? BackstitchError).flatMap { error in
                place.map { error.located(at: $0, verb: reader == nil ? "set" : "read") }
            } ?? error
        if deferredError == nil { deferredError = DeferredError(error: located, reader: reader) }
    }

    /// Logs what waits to be thrown when nobody can catch it any more.
    func tellUnseenError() {
        guard let deferredError else { return }
        logger.warning(
            "a property was used wrongly, and no fetch or save came after it to throw the error; the property is as it was",
            metadata: ["error": "\(deferredError.error)"])
        self.deferredError = nil
    }

    /// Forgets the error that waits to be thrown.
    func dropDeferredError() { deferredError = nil }

    /// Throws the error that waits; a save leaves waiting what reading an object met that it does not write.
    func throwDeferredError(isSave: Bool = false) throws {
        guard let deferred = deferredError else { return }
        if isSave, let reader = deferred.reader, !reader.hasChanges { return }
        deferredError = nil
        throw deferred.error
    }
}

extension ManagedObjectContext {
    /// The log of contexts that got none.
    static let usualLogger = Logger(label: "backstitch")
}

extension BackstitchError {
    /// The same error, which says from which line of the program it comes.
    fileprivate func located(at place: (file: String, line: Int), verb: String) -> BackstitchError {
        BackstitchError(
            code, "\(message) (\(verb) at \(place.file):\(place.line))", objectID: objectID, key: key, cause: cause,
            faults: faults,
            mergeConflict: mergeConflict, constraintConflict: constraintConflict, file: place.file, line: place.line)
    }
}
