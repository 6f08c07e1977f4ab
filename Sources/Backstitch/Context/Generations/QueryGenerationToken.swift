/// A state of the store that contexts can be pinned to.
///
/// ```swift
/// try context.setQueryGeneration(from: .current)      // what follows reads one state, whatever others save
/// let list = try context.fetch(request)
/// for note in list { print(note.folder?.name) }       // faults too
/// try context.setQueryGeneration(from: nil)           // back to the present
/// ```
/// A token other than ``current`` holds its state. The store keeps the data of this state as long as the token lives,
/// so do not keep it for long.
public struct QueryGenerationToken: Sendable {
    /// Nil in ``current``: the next read chooses the state.
    let pin: GenerationPin?

    /// The state of the store at the next read.
    public static let current = QueryGenerationToken(pin: nil)
}
