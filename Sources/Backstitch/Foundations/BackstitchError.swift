/// The one error of Backstitch: what happened, to which object and key, why, and where.
///
/// ```swift
/// do { try context.save() } catch let error as BackstitchError where error.code == .validation {
///     for fault in error.faults { print(fault.objectID, fault.key, fault.message) }
/// }
/// ```
public struct BackstitchError: Error, Sendable {
    /// The kind of error; compare with `==`.
    public let code: Code
    /// The failure, with its object, key and value, and how to mend it.
    public let message: String
    /// The object that the error is about, if it is about one.
    public let objectID: ObjectID?
    /// The property, option or argument that the error is about, if it is about one.
    public let key: String?
    /// The error of a lower layer that led to this one.
    public let cause: (any Error)?
    /// The single faults, when several are reported together; otherwise empty.
    public let faults: [BackstitchError]
    /// The values that were read, are stored and were to be saved, when a context's save met an object that others had
    /// changed.
    public let mergeConflict: MergeConflict?
    /// The objects that collide, when a unique constraint is violated.
    public let constraintConflict: ConstraintConflict?
    /// Where in the source the error was made.
    public let location: SourceLocation

    /// Makes an error at the caller's location.
    public init(
        _ code: Code, _ message: String, objectID: ObjectID? = nil, key: String? = nil,
        cause: (any Error)? = nil, faults: [BackstitchError] = [], mergeConflict: MergeConflict? = nil,
        constraintConflict: ConstraintConflict? = nil, file: String = #fileID, line: Int = #line,
        function: String = #function
    ) {
        self.code = code
        self.message = message
        self.objectID = objectID
        self.key = key
        self.cause = cause
        self.faults = faults
        self.mergeConflict = mergeConflict
        self.constraintConflict = constraintConflict
        self.location = SourceLocation(file: file, line: line, function: function)
    }

    /// One error for several faults: a single fault is returned as it is.
    ///
    /// - Parameter summary: Heads the message; each fault follows on a line of its own.
    public static func combining(
        _ faults: [BackstitchError], code: Code, summary: String, file: String = #fileID, line: Int = #line,
        function: String = #function
    ) -> BackstitchError {
        if faults.count == 1 { return faults[0] }
        let lines = faults.map { "  - \($0.message)" }.joined(separator: "\n")
        return BackstitchError(
            code, "\(summary)\n\(lines)", faults: faults, file: file, line: line, function: function)
    }

    /// A place in the source.
    public struct SourceLocation: Hashable, Sendable, CustomStringConvertible {
        /// Module and file name, as `#fileID` gives them.
        public let file: String
        /// Line, counted from one.
        public let line: Int
        /// The function.
        public let function: String
        /// `Module/File.swift:12 function()`.
        public var description: String { "\(file):\(line) \(function)" }
    }
}

extension BackstitchError: CustomStringConvertible {
    /// Code, message, and the causes below it.
    public var description: String {
        var text = "\(code): \(message)"
        if let cause { text += " (because: \(cause))" }
        return text
    }
}
