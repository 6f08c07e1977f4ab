import Backstitch

/// An object with a rule of the model and one of its own, whose override calls super, or does not.
final class Judged: ManagedObject {
    /// Whether the override asks the class above.
    var callsSuper = true
    /// Why the object refuses to be saved, if it does.
    var refusal: String?

    override func validate() throws {
        if let refusal { throw BackstitchError(.validation, refusal, objectID: objectID) }
    }

    override func validateForInsert() throws {
        if callsSuper { try super.validateForInsert() }
    }
}
