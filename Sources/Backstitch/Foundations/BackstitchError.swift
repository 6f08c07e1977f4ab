/// The only error type of Backstitch: the failure, its object and key, its reason, and its place.
///
/// ```swift
/// do { try context.save() } catch let error as BackstitchError where error.code == .validation {
///     for fault in error.faults { print(fault.objectID, fault.key, fault.message) }
/// }
/// ```
public struct BackstitchError: Error, Sendable {
    /// The kind of error; compare it with `==`.
    public let code: Code
    /// The failure, with its object, key and value, and advice for mending it.
    public let message: String
    /// The object with the error; nil if there is no single object.
    public let objectID: ObjectID?
    /// The property, option or argument with the error; nil if there is no single one.
    public let key: String?
    /// The error of a lower layer that led to this one.
    public let cause: (any Error)?
    /// The single faults, if several are reported together; otherwise empty.
    public let faults: [BackstitchError]
    /// The read, stored and new values of a conflict: a context's save met an object that others had changed.
    public let mergeConflict: MergeConflict?
    /// The colliding objects of a violated unique constraint.
    public let constraintConflict: ConstraintConflict?
    /// The place in the source that made the error.
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

    /// Combines several faults into one error; a single fault is returned unchanged.
    ///
    /// - Parameter summary: The first line of the message; each fault follows on its own line.
    public static func combining(
        _ faults: [BackstitchError], code: Code, summary: String, file: String = #fileID, line: Int = #line,
        function: String = #function
    ) -> BackstitchError {
        if faults.count == 1 { return faults[0] }
        let lines = faults.map { "  - \($0.message)" }.joined(separator: "\n")
        return BackstitchError(
            code, "\(summary)\n\(lines)", faults: faults, file: file, line: line, function: function)
    }

    /// A place in the source code.
    public struct SourceLocation: Hashable, Sendable, CustomStringConvertible {
        /// Module and file name, as in `#fileID`.
        public let file: String
        /// The line, counted from one.
        public let line: Int
        /// The name of the function.
        public let function: String
        /// The place as text: `Module/File.swift:12 function()`.
        public var description: String { "\(file):\(line) \(function)" }
    }
}

extension BackstitchError: CustomStringConvertible {
    /// The code, the message, and the causes below it.
    public var description: String {
        var text = "\(code): \(message)"
        if let cause { text += " (because: \(cause))" }
        return text
    }
}
