import BackstitchSQL

/// PostgreSQL's triggers have no body. All triggers call one function, with their two statements as text.
extension PostgreSQLDialect {
    var derivedFunctions: [String] { [Self.derive, PostgreSQLFunctions.uppercaseStatement] }

    /// One trigger for all events of a table. Its arguments are the statement that computes the column, and the query
    /// that locks the rows.
    func triggers(_ name: String, of column: DerivedColumn, on source: DerivedColumn.Source) -> [SQLTrigger] {
        let condition = source.condition("($1).")
        let changed = source.columns.map(SQLNames.quoted).joined(separator: ", ")
        let events =
            ["INSERT"] + (source.isOwn ? [] : ["DELETE"]) + (changed.isEmpty ? [] : ["UPDATE OF \(changed)"])
        let arguments = [column.update(where: condition), "\(column.selection(where: condition)) FOR NO KEY UPDATE"]
            .map(SQLLiteral.quoted)
        return [
            SQLTrigger(
                name, after: events.joined(separator: " OR "),
                action: "FOR EACH ROW EXECUTE FUNCTION \(Self.deriveName)(\(arguments.joined(separator: ", ")))")
        ]
    }

    func removal(ofTrigger name: String, from table: String) -> String {
        "DROP TRIGGER IF EXISTS \(name) ON \(table)"
    }

    private static let deriveName = "backstitch_derive"

    /// The function of all triggers. Two transactions may write rows that the same derived value depends on. The later
    /// one must include the rows of the first. So it locks the rows with one statement, before the statement that
    /// computes the value begins.
    private static let derive = """
        CREATE OR REPLACE FUNCTION \(deriveName)() RETURNS trigger LANGUAGE plpgsql AS $body$
        BEGIN
            IF TG_OP <> 'INSERT' THEN
                EXECUTE TG_ARGV[1] USING OLD;
                EXECUTE TG_ARGV[0] USING OLD;
            END IF;
            IF TG_OP <> 'DELETE' THEN
                EXECUTE TG_ARGV[1] USING NEW;
                EXECUTE TG_ARGV[0] USING NEW;
            END IF;
            RETURN NULL;
        END
        $body$
        """
}
