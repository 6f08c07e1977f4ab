import Backstitch

/// The effect of a change of links: the owners whose links changed, and their links before.
struct LinkEffect {
    let entity: ResolvedEntity
    let property: ResolvedProperty
    var owners: Set<ObjectKey> = []
    /// The former links of owners, if they were requested; absent for owners without links.
    var before: [ObjectKey: [ObjectKey]] = [:]
}
