extension PersistentContainer {
    /// Runs `work` as ``perform(author:file:line:_:)`` does, and again, with a new context, after a conflict: when its
    /// save throws ``BackstitchError/Code/saveConflict``, because others have changed the same objects meanwhile.
    ///
    /// ```swift
    /// try await container.perform(retrying: 5) { context in
    ///     let account = try context.existingObject(with: id) as? Account
    ///     account?.balance += 10
    ///     try context.save()
    /// }
    /// ```
    /// `work` may run several times, so it must not change anything but objects of its context. It saves by itself, and
    /// lets the error of the save out. Other errors are thrown at once, and so is a conflict after `work` has already
    /// written something to the store, by an earlier save, a batch request or a save into the first of several stores:
    /// it would be written twice.
    ///
    /// - Parameters:
    ///   - retries: How many times `work` is begun again at most.
    ///   - author: The author of the changes, for history.
    ///   - file: The caller's file, for the log of objects that are used after the end of `work`.
    ///   - line: The line in it.
    /// - Throws: The last conflict when there are more; else as ``perform(author:file:line:_:)``.
    public func perform<Result: Sendable>(
        retrying retries: Int, author: String? = nil, file: String = #fileID, line: Int = #line,
        _ work: @escaping @Sendable (ManagedObjectContext) throws -> Result
    ) async throws -> Result {
        var left = retries
        while true {
            do {
                return try await perform(author: author, file: file, line: line) { context in
                    do { return try work(context) } catch let error as BackstitchError
                        where error.code == .saveConflict && !context.hasWritten
                    {
                        throw RepeatableConflict(error: error)
                    }
                }
            } catch let conflict as RepeatableConflict {
                guard left > 0 else { throw conflict.error }
                left -= 1
            }
        }
    }
}

/// A conflict of work that has written nothing.
private struct RepeatableConflict: Error {
    let error: BackstitchError
}
