import Backstitch

/// An object with a rule of the model and one of its own, whose override calls super, or does not.
final class Judged: ManagedObject {
    /// Whether the override calls the class above.
    var callsSuper = true
    /// The reason for a refused save, if any.
    var refusal: String?

    override func validate() throws {
        if let refusal { throw BackstitchError(.validation, refusal, objectID: objectID) }
    }

    override func validateForInsert() throws {
        if callsSuper { try super.validateForInsert() }
    }
}
