export default { rest: { createdStatus: 201 } };
