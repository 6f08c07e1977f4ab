package import Backstitch

/// The names of a model's tables and columns, the same in every SQL database.
///
/// | model | SQL |
/// |---|---|
/// | entity `Note` | table `"Note"` with key `"_id"` and version `"_version"` |
/// | entity `Memo` below `Note` | rows of table `"Note"` with `"_entity"` = `'Memo'` |
/// | attribute `title` | column `"title"` |
/// | to-one `folder` that the entity owns | column `"folder"`: the destination's key |
/// | attributes `title` of `Memo` and of `Task`, both below `Note` | columns `"Memo.title"` and `"Task.title"` of table `"Note"` |
/// | many-to-many `Note.tags`, on the side that owns it | table `"Note.tags"` with `"source"` and `"target"` |
///
/// Names of a model begin with a letter, so a name with an underscore in front never belongs to a property. All names
/// here are bare; ``quoted(_:)`` turns them into identifiers. Some databases cut names at 63 bytes, and two names may
/// then be equal. So longer names are cut here, and end with a hash.
package enum SQLNames {
    /// The key column of every entity's table.
    package static let key = "_id"
    /// The version column of every entity's table.
    package static let version = "_version"
    /// The column of a link table that holds the owning side's key.
    package static let source = "source"
    /// The column of a link table that holds the other side's key.
    package static let target = "target"

    /// The table with an entity's rows; one for all entities of a family.
    package static func table(of entity: ResolvedEntity) -> String { entity.tableName }

    /// The link table of a many-to-many relationship, named from the side that owns it.
    package static func linkTable(owner entity: ResolvedEntity, property: ResolvedProperty) -> String {
        "\(table(of: entity)).\(property.columnName)"
    }

    /// The name of the index for a unique constraint.
    package static func uniqueIndex(of entity: ResolvedEntity, columns: [Int]) -> String {
        let keys = columns.map { entity.properties[$0].columnName }.joined(separator: "+")
        return "unique.\(table(of: entity)).\(keys)"
    }

    /// A name of at most 63 bytes, which every database accepts. A longer name is cut and ends with a hash (FNV-1a,
    /// http://www.isthe.com/chongo/tech/comp/fnv). The result for a name is the same in every version.
    package static func shortened(_ name: String) -> String {
        guard name.utf8.count > 63 else { return name }
        let hash = name.utf8.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
        let digits = String(hash, radix: 16)
        var start = name.prefix(46)
        // Names of models are ASCII; those of schemas may have other characters.
        while start.utf8.count > 46 { start.removeLast() }
        return "\(start).\(digits)"
    }

    /// A name as an SQL identifier, of at most 63 bytes between the quotes.
    package static func quoted(_ name: String) -> String {
        "\"" + shortened(name).split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"") + "\""
    }
}
