import Backstitch
import Harness

/// 100,000 students of 100 schools, with two to seven grades each, and two queries along their relationships.
enum Students {
    static let benchmarks = [physics, cheaters]

    final class School: ManagedObject {
        var name: String {
            get { self["name"] }
            set { self["name"] = newValue }
        }
    }

    final class Student: ManagedObject {
        var name: String {
            get { self["name"] }
            set { self["name"] = newValue }
        }
        var age: Int {
            get { self["age"] }
            set { self["age"] = newValue }
        }
    }

    final class Grade: ManagedObject {
        var subject: String {
            get { self["subject"] }
            set { self["subject"] = newValue }
        }
        var grade: String {
            get { self["grade"] }
            set { self["grade"] = newValue }
        }
    }

    private static let model = ManagedObjectModel([
        EntityDescription(
            "School", class: School.self,
            [.attribute("name", .string, default: ""), .toMany("students", "Student", inverse: "school")]),
        EntityDescription(
            "Student", class: Student.self,
            [
                .attribute("name", .string, default: ""), .attribute("age", .integer64, default: 0),
                .toOne("school", "School", inverse: "students"), .toMany("grades", "Grade", inverse: "student"),
            ]),
        EntityDescription(
            "Grade", class: Grade.self,
            [
                .attribute("subject", .string, default: ""), .attribute("grade", .string, default: ""),
                .attribute("board", .string, default: ""), .toOne("student", "Student", inverse: "grades"),
            ]),
    ])

    private static let subjects = [
        "art", "biology", "chemistry", "computing", "drama", "economics", "english", "french", "geography", "history",
        "latin", "maths", "music", "physics",
    ]
    private static let marks = ["A*", "A", "B", "C", "D", "E", "F", "U"]

    private static let physics = question(
        "students.physics", "students with an A* in physics, of 100,000",
        "SUBQUERY(grades, $g, $g.subject == 'physics' AND $g.grade == 'A*').@count > 0",
        """
        SELECT s._id, s._version, s.name, s.age, s.school FROM "Student" s WHERE EXISTS (SELECT 1 FROM "Grade" g
        WHERE g.student = s._id AND g.subject = 'physics' AND g.grade = 'A*') ORDER BY s._id
        """)

    private static let cheaters = question(
        "students.maths", "maths students of one school with an A, of 100,000",
        "school.name == 'School 42' AND SUBQUERY(grades, $g, $g.subject == 'maths' AND $g.grade == 'A').@count > 0",
        """
        SELECT s._id, s._version, s.name, s.age, s.school FROM "Student" s JOIN "School" c ON c._id = s.school
        WHERE c.name = 'School 42' AND EXISTS (SELECT 1 FROM "Grade" g WHERE g.student = s._id
        AND g.subject = 'maths' AND g.grade = 'A') ORDER BY s._id
        """)

    private static func question(_ name: String, _ summary: String, _ format: String, _ sql: String) -> Benchmark {
        Benchmark(name: name, summary: summary, rounds: 7) { stage in
            let store = try stage.sqlite(model, "ours.sqlite")
            try fill(ManagedObjectContext(coordinator: store), students: stage.rows(100_000))
            let c = try CDatabase(stage.path("ours.sqlite"))
            var found = 0
            return [
                .ours { stopwatch in
                    let context = ManagedObjectContext(coordinator: store)
                    let length = try stopwatch.measure {
                        let students = try context.fetch(FetchRequest<Student>(where: format))
                        found = students.count
                        return students.reduce(0) { $0 &+ $1.age &+ $1.name.utf8.count }
                    }
                    guard length > 0 || found == 0 else { throw BenchmarkError("students without names") }
                },
                .peer("SQLite in C", target: 1.3) { stopwatch in
                    let rows = try stopwatch.measure { try c.fetch(sql) }
                    try expect(rows, found, "students")
                },
            ]
        }
    }

    private static func fill(_ context: ManagedObjectContext, students: Int) throws {
        var random = RandomSource(seed: 21)
        var number = 0
        try context.execute(
            BatchInsertRequest(entityName: "School") { row in
                row["name"] = .string("School \(number)")
                number += 1
                return number > 100
            })
        let schools = try context.fetchObjectIDs(FetchRequest<School>())
        number = 0
        try context.execute(
            BatchInsertRequest(entityName: "Student") { row in
                row["name"] = .string("Student \(number)")
                row["age"] = .int(Int64.random(in: 14...18, using: &random))
                row["school"] = .object(schools[Int.random(in: 0..<100, using: &random)])
                number += 1
                return number > students
            })
        let ids = try context.fetchObjectIDs(FetchRequest<Student>())
        var rest = ids.flatMap { id in Array(repeating: id, count: Int.random(in: 2...7, using: &random)) }
        try context.execute(
            BatchInsertRequest(entityName: "Grade") { row in
                guard let id = rest.popLast() else { return true }
                row["subject"] = .string(subjects[Int.random(in: 0..<14, using: &random)])
                row["grade"] = .string(marks[Int.random(in: 0..<8, using: &random)])
                row["board"] = .string(["AQA", "OCR", "Edexcel"][Int.random(in: 0..<3, using: &random)])
                row["student"] = .object(id)
                return false
            })
    }
}
