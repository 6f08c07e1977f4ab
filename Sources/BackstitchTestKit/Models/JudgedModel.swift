import Backstitch

extension ManagedObjectModel {
    /// Objects with rules of both kinds.
    static let judged = ManagedObjectModel([
        EntityDescription("Judged", class: Judged.self, [.attribute("n", .integer64, default: 0).validated("n > 3")])
    ])
}
