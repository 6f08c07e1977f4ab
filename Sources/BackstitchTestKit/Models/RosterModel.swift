import Backstitch

/// A member of a team; its e-mail address is its own, its nickname its own within the team.
final class Member: ManagedObject {
    var email: String? {
        get { self["email"] }
        set { self["email"] = newValue }
    }
    var nickname: String? {
        get { self["nickname"] }
        set { self["nickname"] = newValue }
    }
    var age: Int {
        get { self["age"] }
        set { self["age"] = newValue }
    }
    var city: String? {
        get { self["city"] }
        set { self["city"] = newValue }
    }
    var team: Team? {
        get { self["team"] }
        set { self["team"] = newValue }
    }
    var tasks: Set<MemberTask> {
        get { self["tasks"] }
        set { self["tasks"] = newValue }
    }
    var skills: Set<Skill> {
        get { self["skills"] }
        set { self["skills"] = newValue }
    }
    var desk: Desk? {
        get { self["desk"] }
        set { self["desk"] = newValue }
    }
}

/// A team, known by its name.
final class Team: ManagedObject {
    var name: String? {
        get { self["name"] }
        set { self["name"] = newValue }
    }
    var members: Set<Member> {
        get { self["members"] }
        set { self["members"] = newValue }
    }
}

/// Something that a member has to do.
final class MemberTask: ManagedObject {
    var member: Member? {
        get { self["member"] }
        set { self["member"] = newValue }
    }
}

/// A skill that members have; many to many.
final class Skill: ManagedObject {
    var members: Set<Member> {
        get { self["members"] }
        set { self["members"] = newValue }
    }
}

/// A member's desk; one to one.
final class Desk: ManagedObject {
    var member: Member? {
        get { self["member"] }
        set { self["member"] = newValue }
    }
}

extension ManagedObjectModel {
    /// A model with unique constraints of one attribute, and of an attribute and a to-one.
    static let roster = ManagedObjectModel([
        EntityDescription(
            "Member", class: Member.self, unique: [["email"], ["team", "nickname"]],
            [
                .attribute("email", .string), .attribute("nickname", .string),
                .attribute("age", .integer64, default: 0), .attribute("city", .string),
                .toOne("team", "Team", inverse: "members"),
                .toMany("tasks", "Task", inverse: "member", delete: .cascade),
                .toMany("skills", "Skill", inverse: "members"), .toOne("desk", "Desk", inverse: "member"),
            ]),
        EntityDescription(
            "Team", class: Team.self, unique: [["name"]],
            [.attribute("name", .string), .toMany("members", "Member", inverse: "team")]),
        EntityDescription("Task", class: MemberTask.self, [.toOne("member", "Member", inverse: "tasks")]),
        EntityDescription("Skill", class: Skill.self, [.toMany("members", "Member", inverse: "skills")]),
        EntityDescription("Desk", class: Desk.self, [.toOne("member", "Member", inverse: "desk")]),
    ])
}
