import Backstitch

/// The effect of a change of links: the owners whose links have changed, and their links before.
struct LinkEffect {
    let entity: ResolvedEntity
    let property: ResolvedProperty
    var owners: Set<ObjectKey> = []
    /// The links of owners before, where they were asked for; absent for none.
    var before: [ObjectKey: [ObjectKey]] = [:]
}
