/// A state of the store that contexts can be pinned to.
///
/// ```swift
/// try context.setQueryGeneration(from: .current)      // what follows reads one state, whatever others save
/// let list = try context.fetch(request)
/// for note in list { print(note.folder?.name) }       // faults too
/// try context.setQueryGeneration(from: nil)           // back to the present
/// ```
/// A token other than ``current`` holds its state: the store keeps what it needs as long as somebody has the token, so
/// do not keep it for long.
public struct QueryGenerationToken: Sendable {
    /// Nil for the state at the first read to come.
    let pin: GenerationPin?

    /// The state at the first read to come.
    public static let current = QueryGenerationToken(pin: nil)
}
